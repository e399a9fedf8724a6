"""A model provider over HTTP: OpenAI's and Anthropic's endpoints, asked of brains, and whatever goes wrong there."""

from squall.wire.provider.provider import Provider

__all__ = ["Provider"]
