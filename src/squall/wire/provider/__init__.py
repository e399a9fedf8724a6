"""A model provider over HTTP: OpenAI's and Anthropic's endpoints, asked of brains, with whatever goes wrong on the way."""

from squall.wire.provider.provider import Provider

__all__ = ["Provider"]
