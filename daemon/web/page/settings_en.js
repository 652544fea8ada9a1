/* What the settings page says, in English. What helps with a field is the description in the schema that the daemon sends,
   which is English: `help` is for the other languages. */

/** @satisfies {Oche.Texts} */
export const settings = {
  title: "Settings", back: "Scoreboard", save: "Save and apply", revert: "Take back the last change",
  more: "More", add: "Add", remove: "Remove", usual: (value) => `Default: ${value}`, none: "none", required: "needed",
  byDefault: (value) => `Default: ${value}`, yes: "yes", no: "no", aLine: "One a line.", keptSecret: "What is typed replaces the password that is kept; it is never shown.",
  file: (file) => `All this is in ${file}. Saved settings are applied at once, in about a second; matches go on where they were.`,
  found: (file) => `There is no ${file} yet: this is what oche has found. Save it, and it stays so.`,
  byHand: "The file was changed by hand since oche has started: what you see here is the file.",
  saving: "Saved. oche starts anew with the settings …", saved: "The settings are applied.", reverted: "The last change is taken back.",
  noChange: "Nothing was changed.", moved: "The page is at another address now:", wrong: "Something is wrong: it is said beside the field.",
  lost: "oche has not answered for a minute. Look at its log: journalctl -u oche", noJson: "This is not JSON, such as {\"start\": 301}.",
  noNumbers: "Numbers with commas between them, such as 16, 8.",
  tokensTitle: "Keep these now: they are not shown again", play: "For those who play", setup: "For you alone: it changes settings, too", open: "open here",
  makePlay: "Another token for players", makeSetup: "Another token for the settings", tokensHelp: "The former token ends, and the devices that have entered it are out. The new one is shown once.",
  hosts: { "127.0.0.1": "this machine only", "0.0.0.0": "everybody in this network who has a token", "::": "the same, with IPv6" },
  kinds: { table: "Tables", mqtt: "Broker", home_assistant: "Home Assistant", web: "Page", player: "Players", routine: "Routines", bridge: "Name and language" },
  about: {
    table: "A board and the game on it, for each board.", mqtt: "The MQTT broker that displays and Home Assistant listen to.",
    home_assistant: "How Home Assistant finds the tables.", web: "Who may reach this page, and where it is.", player: "Players who come here often.",
    routine: "Exercises that are played one after the other.", bridge: "This daemon.",
  },
  one: { table: "Table", player: "Player", routine: "Routine" },
  fields: {
    board: "Board", name: "Name", title: "Title", profile: "Profile", mat: "Mat", wiring: "Wiring", timing: "Times", face: "Face", game: "Game",
    options: "Options", players: "Players", teams: "Teams", seed: "Seed", takeout: "What opens the next visit", takeout_s: "Seconds for it", lamps: "Lamps",
    doubles: "Favourite doubles", bot_s: "Seconds of a bot", language: "Language", host: "Address", port: "Port", base: "Topics begin with", username: "User",
    password: "Password", tls: "Encrypted (TLS)", ca_file: "Authorities",
    discovery: "Discovery", discovery_prefix: "Its topics begin with", response_topics: "Topics of answers", on: "Switched on", names: "Names of the page",
    "web.host": "Who may reach it", proxies: "Proxies with a login", exercises: "Exercises", update_url: "Where the latest version is told", log_level: "What is logged", requests: "Takes requests",
  },
  care: {
    title: "Care", working: "That takes a moment …", saved: (name) => `It is in your downloads: ${name}`,
    report: "Make a report", reportHelp: "When something is wrong: one file with what the doctor says, the settings, the latest bytes of each board, the match at hand and the machine. Passwords, tokens and keys are not in it; names are. Look through it, and send it.",
    doctor: "Ask the doctor", doctorHelp: "Looks at everything that oche needs, and says what to type on the machine where something is not as it should be.", examined: "The doctor has looked at everything.",
    backup: "Download a backup", backupHelp: "Settings, all matches and the keys in one file. It has passwords in it, and the hands of the match at hand: keep it for yourself. On the machine, sudo oche restore FILE puts it back.",
    restart: "Start oche anew", restartHelp: "With the file as it is now, in about a second; matches go on where they were. After an update, or when oche was given a permission, type sudo systemctl restart oche instead.", restarted: "oche has started anew.",
  },
  help: {},
};
