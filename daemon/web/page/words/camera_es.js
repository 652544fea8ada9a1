/* The texts of the camera for moments, in Spanish. Loaded with it, in the language of the page alone. */

/** @type {Oche.CameraLanguage} */
export const camera = {
  title: "Cámara", about: "Este dispositivo guarda para sí los últimos segundos de su cámara, sin sonido. En un gran momento los envía a oche, que los guarda con la partida.",
  start: "Encender la cámara", stop: "Apagar la cámara", ready: "La cámara está encendida.", ended: "La cámara está apagada.", sent: (n) => `Clips enviados: ${n}.`,
  paused: (names) => `A petición de ${names}, no se graba nada en esta partida.`,
  refused: "Esta página no puede usar la cámara. Permítelo en el navegador y vuelve a empezar.",
  noCamera: "Aquí no hay cámara, o la usa otro programa.", noRecorder: "Este navegador no puede grabar. Usa uno más nuevo.",
  insecure: (host, local) => `Este dispositivo ha abierto la página en ${host} sin https. Los navegadores no dan la cámara a una página así. En el ordenador en el que funciona oche, abre ${local}. Para un móvil, pon un servidor web con https delante de oche: docs/reverse-proxy.md explica cómo.`,
  mayNot: "Este dispositivo solo puede mirar: introduce antes el token en la página.",
  off: "Aquí no se guardan clips. Indica «Clips guardados» en los ajustes, en Página, y vuelve a cargar esta página.",
  when: "Guardar", moments: { few: "los mejores momentos y las partidas ganadas", usual: "los grandes momentos, los legs y las partidas ganadas", many: "cada logro y todo lo que se gana" },
  what: "Como", kinds: { film: "vídeo", still: "foto" },
  who: "¿Sin cámara?", whoHelp: "Cualquiera puede decir que no. Entonces no se graba nada en las partidas de esa persona, y se borran los clips de la partida actual.",
  no: "No grabar", sureNo: "Toca otra vez: no grabar", yes: "Se puede grabar", sureYes: "Toca otra vez: se puede grabar", saidNo: "no se graba",
  clips: "Clips", remove: "Borrar", sureRemove: "Toca otra vez para borrar",
};
