// A client of the feed: says hello, prints each message as a line of JSON, and ends after the second dart.

import { io } from "socket.io-client";

const [address, transports] = process.argv.slice(2);
const socket = io(address, { transports: transports.split(","), reconnection: false });
socket.on("connect", () => socket.emit("message", "hello"));
socket.on("connect_error", (error) => {
  console.error(error.message);
  process.exit(1);
});
socket.on("message", (message) => {
  console.log(JSON.stringify(message));
  if (message.event === "dart2-thrown") process.exit(0);
});
