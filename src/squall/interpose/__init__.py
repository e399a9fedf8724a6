"""The one place where a call meets decision, fault, clock and trace.

Knows the services behind it by a protocol, and no wire in front of it.
"""

from squall.interpose.asking import ModelInterposer
from squall.interpose.caller import Caller
from squall.interpose.exchange import Exchange
from squall.interpose.interposer import Interposer
from squall.interpose.numbers import Numbers
from squall.interpose.scope import scope
from squall.interpose.service import Operation, Service

__all__ = ["Caller", "Exchange", "Interposer", "ModelInterposer", "Numbers", "Operation", "Service", "scope"]
