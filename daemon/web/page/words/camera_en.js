/* The texts of the camera for moments, in English. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const camera = {
  title: "Camera", about: "This device keeps the last seconds of its camera to itself, without sound. At a great moment it sends them to oche, which keeps them with the match.",
  start: "Start the camera", stop: "Stop the camera", ready: "The camera is on.", ended: "The camera is off.", sent: (n) => `Clips sent: ${n}.`,
  paused: (names) => `Nothing is filmed in this match: ${names} said no.`,
  refused: "This page may not use the camera. Allow it in the browser, and start again.",
  noCamera: "There is no camera here, or another program uses it.", noRecorder: "This browser cannot record. Use a newer one.",
  insecure: (host, local) => `This device opened the page at ${host} without https. Browsers give no camera to such a page. On the machine that oche runs on, open ${local}. For a phone, put a web server with https in front of oche: docs/reverse-proxy.md says how.`,
  mayNot: "This device may only look on: enter the token on the page first.",
  off: "No clips are kept here. Set “Clips kept” in the settings, under Page, and load this page again.",
  when: "Keep", moments: { few: "the greatest moments, and won matches", usual: "great moments, and won legs and matches", many: "every award, and all that is won" },
  what: "As", kinds: { film: "a film", still: "a still" },
  who: "Not on camera?", whoHelp: "Anyone may say no. Then nothing is filmed of that player’s matches, and clips of the current match are deleted.",
  no: "Do not film", sureNo: "Tap again: do not film", yes: "May be filmed", sureYes: "Tap again: may be filmed", saidNo: "is not filmed",
  clips: "Clips", remove: "Delete", sureRemove: "Tap again to delete",
};
