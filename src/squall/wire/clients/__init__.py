"""Routes unmodified clients to the run's provider, and lets no request out of this machine that nobody has allowed."""

from squall.wire.clients.routing import Routing

__all__ = ["Routing"]
