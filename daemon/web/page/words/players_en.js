/* The texts of the page of players, in English. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const players = {
  title: "Players", none: "There are no players yet.", add: "Add", newName: "Name of a new player", save: "Save", saved: "Saved.",
  help: "Tap a player to fill in the profile. Only someone who may change settings can rename players.",
  nickname: "Nickname", colour: "Colour", noColour: "Automatic", hand: "Throws with", hands: { "": "Not specified", right: "the right hand", left: "the left hand" },
  doubles: "Favourite doubles", doublesHelp: "Numbers separated by commas, best first; 25 is the bull. Checkout hints end on them from the next new match on.",
  noNumbers: "Write favourite doubles as numbers separated by commas, such as 16, 8.",
  sound: "Walk-on sound", sounds: { "": "None", name: "The name, spoken", rising: "Rising tones", fanfare: "Fanfare", bell: "Bell", drum: "Drum" },
  soundHelp: "Plays when a match begins, on devices where Sound is on in the menu; the spoken name where the caller’s voice is on.", hear: "Play it",
  counts: "Count matches in the statistics", filmed: "May be filmed by the camera for great moments", takePicture: "Take a picture", choosePicture: "Choose a file", removePicture: "Remove the picture",
  noPicture: "This browser cannot read this file as a picture. Choose a JPEG or a PNG.",
  pictureHelp: "This device crops it to a square and makes it smaller. Everyone who can open the page can see it.",
  recorded: {
    title: "Recorded name", choose: "Choose or make a recording", record: "Record", recording: (seconds) => `Say the name: this device records for ${seconds} seconds.`,
    help: "Say the name as the caller should say it. Screens with the caller’s voice play it from the next match on. Everyone who can open the page can hear it.",
    heard: "Listen to it, then keep it.", again: "Record again", listen: "Listen", keep: "Keep the recording", remove: "Remove the recording",
    unreadable: "This browser cannot play this recording, or nothing can be heard in it. Record the name again, or choose another file.",
    refused: "This page may not use the microphone. Allow it in the browser, or choose a file.",
  },
  figures: "Statistics", known: (names) => `In the records: ${names}`, split: (name) => `${name} is another player`,
  rename: "Rename", renameTo: "New name", merge: "Merge", mergeInto: "is the same person as", forget: "Forget …",
  renameHelp: "Past matches show the new name, too.", mergeHelp: "All matches of both then belong to the other player. This player’s profile is deleted. The names can be separated again.",
  sureRename: (name, to) => `Call ${name} ${to} from now on?`, sureMerge: (name, to) => `Are ${name} and ${to} the same person?`,
  sureForget: (name, matches) => `Forget ${name}? In ${matches} ${matches === 1 ? "match" : "matches"} the name becomes "Forgotten player". The darts stay, but count in no statistics. The profile is deleted. This cannot be undone.`,
  kept: (files) => `These files may still contain the name. Delete the ones you do not need: ${files}`,
  backups: "Older backups contain the name, too.", league: "The league is told as soon as it can be reached.", configured: "The configuration contains this name. Remove it in the settings.",
  yes: "Yes", no: "No", forgotten: (name) => `${name} was forgotten.`, forgetForGood: "Forget for good",
};
