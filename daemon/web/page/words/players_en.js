/* What the page of the players says, in English. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const players = {
  title: "Players", none: "There are no players yet.", add: "Add", newName: "Name of a new player", save: "Save", saved: "Saved.",
  help: "Tap a player to fill in the profile. Names are changed by those who may change settings.",
  nickname: "Nickname", colour: "Colour", noColour: "None", hand: "Throws with", hands: { "": "Not said", right: "the right hand", left: "the left hand" },
  doubles: "Favourite doubles", doublesHelp: "Numbers with commas between them, the favourite one first; 25 is the bull. Checkout hints of the next new match lead to them.",
  noNumbers: "Favourite doubles are numbers with commas between them, such as 16, 8.",
  sound: "Sound when a match begins", sounds: { "": "None", name: "The name, spoken", rising: "Rising tones", fanfare: "Fanfare", bell: "Bell", drum: "Drum" },
  soundHelp: "It is heard where sound is on in the menu, the name where the caller is.", hear: "Hear it",
  counts: "Matches count in the figures", picture: "Picture", choose: "Choose or take a picture", removePicture: "Remove the picture",
  noPicture: "This file is no picture that this browser can read: choose a JPEG or a PNG.",
  pictureHelp: "It is cut to a small square on this device, and seen by all who see the page.",
  figures: "Statistics", known: (names) => `In the records: ${names}`, split: (name) => `${name} is another player`,
  rename: "Rename", renameTo: "New name", merge: "Merge", mergeInto: "is the same person as", forget: "Forget …",
  renameHelp: "The matches played so far are shown with it, too.", mergeHelp: "All matches of both are those of the other one. The names can be separated again; the profile of this player is deleted.",
  sureRename: (name, to) => `Call ${name} ${to} from now on?`, sureMerge: (name, to) => `Are ${name} and ${to} the same person?`,
  sureForget: (name, matches) => `Forget ${name}? In ${matches} ${matches === 1 ? "match" : "matches"} the name becomes "Forgotten player", the darts stay, and count in no figures. The profile is deleted. This cannot be taken back.`,
  kept: (files) => `These files may still have the name, delete them if they are not needed: ${files}`,
  backups: "Backups that were made before keep the name, too.", configured: "The configuration names this player: take the name out in the settings.",
  yes: "Yes", no: "No", forgotten: (name) => `${name} is forgotten.`, forgetForGood: "Forget for good",
};
