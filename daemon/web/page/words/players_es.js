/* The texts of the page of players, in Spanish. Loaded with it, in the language of the page alone. */

/** @type {Oche.PlayersLanguage} */
export const players = {
  title: "Jugadores", none: "Aún no hay jugadores.", add: "Añadir", newName: "Nombre del nuevo jugador", save: "Guardar", saved: "Guardado.",
  help: "Toca un jugador para rellenar su perfil. Solo quien puede cambiar los ajustes puede cambiar el nombre de un jugador.",
  nickname: "Apodo", colour: "Color", noColour: "Automático", hand: "Lanza con", hands: { "": "Sin indicar", right: "la mano derecha", left: "la mano izquierda" },
  doubles: "Dobles preferidos", doublesHelp: "Números separados por comas, el mejor primero; 25 es el bull. Las sugerencias de cierre terminan en ellos a partir de la próxima partida nueva.",
  noNumbers: "Escribe los dobles preferidos como números separados por comas, por ejemplo 16, 8.",
  sound: "Sonido de entrada", sounds: { "": "Ninguno", name: "El nombre, en voz alta", rising: "Tonos ascendentes", fanfare: "Fanfarria", bell: "Campana", drum: "Tambor" },
  soundHelp: "Suena al empezar una partida, en los dispositivos que tienen el sonido activado en el menú; el nombre, en los que tienen el locutor activado.", hear: "Escuchar",
  counts: "Contar las partidas en las estadísticas", filmed: "La cámara de grandes momentos puede grabar a esta persona", takePicture: "Hacer una foto", choosePicture: "Elegir un archivo", removePicture: "Quitar la foto",
  noPicture: "Este navegador no puede leer este archivo como foto. Elige un JPEG o un PNG.",
  pictureHelp: "Este dispositivo la recorta en un cuadrado y la reduce. La ve cualquiera que pueda abrir la página.",
  recorded: {
    title: "Nombre grabado", choose: "Elegir o hacer una grabación", record: "Grabar", recording: (seconds) => `Di el nombre: este dispositivo graba durante ${seconds} segundos.`,
    help: "Di el nombre como debe decirlo el locutor. Las pantallas con el locutor activado lo usan desde la próxima partida. Lo oye cualquiera que pueda abrir la página.",
    heard: "Escucha la grabación y después guárdala.", again: "Grabar otra vez", listen: "Escuchar", keep: "Guardar la grabación", remove: "Quitar la grabación",
    unreadable: "Este navegador no puede reproducir la grabación, o no se oye nada en ella. Graba el nombre otra vez, o elige otro archivo.",
    refused: "Esta página no tiene permiso para usar el micrófono. Dáselo en el navegador, o elige un archivo.",
  },
  figures: "Estadísticas", known: (names) => `En las partidas guardadas: ${names}`, split: (name) => `${name} es otro jugador`,
  rename: "Cambiar el nombre", renameTo: "Nombre nuevo", merge: "Fusionar", mergeInto: "es la misma persona que", forget: "Olvidar…",
  renameHelp: "Las partidas pasadas también muestran el nombre nuevo.", mergeHelp: "Todas las partidas de los dos nombres pasan al otro jugador. El perfil de este jugador se borra. Los nombres se pueden volver a separar.",
  sureRename: (name, to) => `¿Cambiar el nombre de ${name} por ${to}?`, sureMerge: (name, to) => `¿${name} y ${to} son la misma persona?`,
  sureForget: (name, matches) => `¿Olvidar a ${name}? En ${matches} ${matches === 1 ? "partida" : "partidas"} el nombre pasa a ser «Forgotten player». Los dardos se quedan, pero no cuentan en ninguna estadística. El perfil se borra. Esto no se puede deshacer.`,
  kept: (files) => `Estos archivos quizá contengan aún el nombre. Borra los que no necesites: ${files}`,
  backups: "Las copias de seguridad anteriores también contienen el nombre.", league: "La liga lo sabrá en cuanto se pueda contactar con ella.", configured: "La configuración contiene este nombre. Quítalo en los ajustes.",
  yes: "Sí", no: "No", forgotten: (name) => `Se ha olvidado el nombre ${name}.`, forgetForGood: "Olvidar para siempre",
};
