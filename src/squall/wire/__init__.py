"""The boundaries that an agent talks across. Owns no behaviour: it puts outcomes into the words of a protocol."""
