"""OpenAI's endpoints as its official SDKs speak to them: chat completions, responses, embeddings, models."""
