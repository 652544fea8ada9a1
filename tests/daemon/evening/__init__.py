"""One evening's traffic over HTTP and MQTT, as it was recorded: it gets the same answers after each change of oche."""
