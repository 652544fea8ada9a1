"""What goes out beside MQTT and the page: speech. Nothing here is imported unless it is configured or asked for."""
