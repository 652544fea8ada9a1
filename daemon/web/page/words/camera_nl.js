/* The texts of the camera for moments, in Dutch. Loaded with it, in the language of the page alone. */

/** @type {Oche.CameraLanguage} */
export const camera = {
  title: "Camera", about: "Dit apparaat houdt de laatste seconden van zijn camera voor zichzelf, zonder geluid. Bij een groot moment stuurt het die naar oche, dat ze bij de partij bewaart.",
  start: "Camera starten", stop: "Camera uitzetten", ready: "De camera staat aan.", ended: "De camera staat uit.", sent: (n) => `Verstuurde clips: ${n}.`,
  paused: (names) => `Op verzoek van ${names} wordt in deze partij niet gefilmd.`,
  refused: "Deze pagina mag de camera niet gebruiken. Sta het toe in de browser en start opnieuw.",
  noCamera: "Hier is geen camera, of een ander programma gebruikt hem.", noRecorder: "Deze browser kan niet opnemen. Neem een nieuwere.",
  insecure: (host, local) => `Dit apparaat heeft de pagina op ${host} zonder https geopend. Browsers geven zo’n pagina geen camera. Open op de computer waar oche op draait ${local}. Zet voor een telefoon een webserver met https voor oche: docs/reverse-proxy.md legt uit hoe.`,
  mayNot: "Dit apparaat mag alleen kijken: voer eerst op de pagina het token in.",
  off: "Hier worden geen clips bewaard. Stel in de instellingen onder Pagina “Bewaarde clips” in, en laad deze pagina opnieuw.",
  when: "Bewaar", moments: { few: "de grootste momenten en gewonnen partijen", usual: "grote momenten, gewonnen legs en partijen", many: "elke award en alles wat gewonnen wordt" },
  what: "Als", kinds: { film: "film", still: "foto" },
  who: "Niet in beeld?", whoHelp: "Iedereen mag nee zeggen. Dan wordt er in partijen met die speler niet gefilmd, en worden de clips van de huidige partij verwijderd.",
  no: "Niet filmen", sureNo: "Tik nog eens: niet filmen", yes: "Mag gefilmd worden", sureYes: "Tik nog eens: mag gefilmd worden", saidNo: "wordt niet gefilmd",
  clips: "Clips", remove: "Verwijderen", sureRemove: "Tik nog eens om te verwijderen",
};
