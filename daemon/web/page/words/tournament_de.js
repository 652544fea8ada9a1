/* Die Texte der Turniere, auf Deutsch. */

/** @satisfies {Oche.TournamentLanguage} */
export const tournament = {
  tournaments: "Turniere", list: "Turniere", make: "Neues Turnier", loading: "Lädt …", gone: "Zu diesem Link gibt es kein Turnier.",
  offline: "Keine Verbindung. Es wird weiter versucht …", waits: (n) => (n === 1 ? "Keine Verbindung. Was du angetippt hast, ist gemerkt und wird gesendet." : `Keine Verbindung. ${n} Eingaben sind gemerkt und werden gesendet.`),
  needsSetup: "Um ein Turnier anzulegen, gib auf diesem Gerät das Setup-Token ein.", enterSetup: "Setup-Token eingeben",
  views: { bracket: "Turnierbaum", tables: "Tische", organise: "Leiten", print: "Drucken" },
  phases: { sign_up: "Anmeldung", playing: "Läuft", over: "Beendet" }, played: (played, matches) => `${played} von ${matches} Spielen gespielt`,
  wonBy: (name) => `Sieger: ${name}`,
  close: "Schließen", less: (label) => `${label}: weniger`, more: (label) => `${label}: mehr`, sure: (label) => `${label}? Noch einmal drücken`,

  kind: "Art",
  kinds: {
    knock_out: "K.-o.", double_knock_out: "Doppel-K.-o.", round_robin: "Jeder gegen jeden", groups: "Gruppen, dann K.-o.",
    swiss: "Schweizer System", ladder: "Rangleiter", open: "Offener Abend",
  },
  sides: "Seiten", sideKinds: { singles: "Einzel", fixed: "Paare", drawn: "Geloste Paare", teams: "Teams" }, teamHow: "Gib ein Team mit seinen Spielern ein: „Heim: Ann, Bo“. Der Erste spielt gegen den Ersten, der Zweite gegen den Zweiten.", teamExample: "Heim: Ann, Bo", inTurn: (n) => (n === 2 ? "Tippe Partner nacheinander an." : `Tippe die ${n} einer Seite nacheinander an.`),
  name: "Name des Turniers", draw: "Auslosen", drawOf: (n) => `Auslosen (${n})`, openSignUp: "Anmeldung öffnen", makes: "Das Turnier wird angelegt …",
  tooFew: "Ein Turnier braucht zwei Seiten: tippe Spieler an oder gib ihre Namen ein.", lacksPartner: (n) => (n === 2 ? "Dem letzten Spieler fehlt noch ein Partner." : `Die letzte Seite hat weniger als ${n} Spieler.`),
  options: {
    size: "Spieler pro Seite", doubles: "Teams: dazu ein Doppel", sets: "Gewinnsätze", byRound: "Gewinnlegs in einzelnen Runden (0: wie in den anderen)", finalSets: "Finale: Gewinnsätze", losers: "Verliererseite", third: "Spiel um Platz drei", second: "Zweites Finale, wenn die unbesiegte Seite das erste verliert",
    groups: "Gruppen", through: "Es kommen weiter pro Gruppe", twice: "Hin- und Rückspiel", rounds: "Runden (0: so wenige, wie einen Sieger ergeben)", reach: "So viele Plätze nach oben darf man fordern",
    seeding: "Setzliste", seedings: { draw: "Gelost", hand: "Von Hand", average: "Nach Schnitt", rating: "Nach Spielstärke" }, first: "Wirft zuerst", firsts: { drawn: "Gerecht gelost", bull: "Ausbullen" },
    win: "Punkte für einen Sieg", drawn: "Punkte für ein Unentschieden", ties: "Bei gleichen Punkten", tieBreak: (n) => `Kriterium ${n}`,
    tieBreaks: {
      direct: "Der direkte Vergleich", leg_difference: "Legdifferenz", level_leg_difference: "Legdifferenz untereinander", legs_won: "Gewonnene Legs", wins: "Gewonnene Spiele",
      opponents: "Punkte der Gegner", average: "Schnitt", lots: "Los",
    },
    withdrawn: "Wenn eine Seite aufgibt", withdrawals: { walkover: "Die anderen gewinnen kampflos", annul: "Ihre Spiele streichen, wenn wenige gespielt sind" },
    rest: "Pause zwischen zwei Spielen, in Minuten", confirm: "Jede Anmeldung bestätigen",
  },

  // Was die Turnierleitung tut.
  needs: {
    disputed: (pair) => `${pair}: das Ergebnis wurde berichtigt, aber andere haben danach begonnen`, other: (table) => `${table} spielt etwas anderes`, away: (table) => `${table} antwortet nicht`, board: (table) => `${table}: das Board antwortet nicht. Schalte es ein, oder gib die Darts von Hand ein`,
    paper: (pair, table) => `Ergebnis eingeben: ${pair} (${table})`, confirm: (name) => `${name} möchte mitspielen`, late: (name) => `${name} kam zu spät: finde einen Platz`, noTable: "Füge einen Tisch hinzu",
    few: (n) => (n === 1 ? "Für die Gruppen fehlt noch einer" : `Für die Gruppen fehlen noch ${n}`),
    draw: (n) => `Auslosen (${n} angemeldet)`, drawNext: "Nächste Runde auslosen", code: "Code zum Anmelden zeigen",
  },
  inputs: {
    enter: (name) => `${name} angemeldet`, change: (name) => `Änderung bei ${name}`, leave: (name) => `${name} abgemeldet`, draw_sides: "Auslosung der Seiten", draw_seats: "Auslosung", draw_groups: "Auslosung der Gruppen",
    draw_round: "Auslosung der Runde", draw_ladder: "Auslosung", seat_late: (name) => `${name} nachgerückt`, pair: (pair) => `Spiel ${pair}`, set_tables: "Änderung der Tische",
    call_to: (pair, table) => `${pair} an ${table} gerufen`, callBack: (pair) => `${pair} zurückgerufen`, result: (pair, score) => `${pair} ${score}`, take_back: (pair) => `Ergebnis von ${pair} zurückgenommen`,
    set_writer: (pair) => `Schreiber von ${pair}`, settle: (pair) => `${pair} bleibt`, end: "Ende",
  },
  status: {
    waiting: "wartet", ready: "bereit", called: "gerufen", playing: "läuft", played: "gespielt", disputed: "strittig", walkover: "kampflos", bye: "Freilos", annulled: "gestrichen",
  },
  boardAway: "das Board antwortet nicht",
  tableStatus: { free: "frei", called: "gerufen", playing: "spielt", else: "spielt etwas anderes", away: "antwortet nicht" },
  tables: "Tische", ready: "Spielbereit", pairing: "Wer gegen wen", people: "Teilnehmer", results: "Ergebnisse", more_: "Codes, Dateien, Ende", match: "Spiel", next: (pair) => `danach: ${pair}`, auto: "Spiele von selbst rufen",
  ends: (end, early, late) => `endet etwa um ${end} (${early} bis ${late})`, notOrganiser: "Das sieht nur die Turnierleitung: öffne ihren Link, oder gib auf diesem Gerät das Setup-Token ein.",
  undo: "Rückgängig", redo: "Wiederholen", writer: "Schreibt", writes: (name) => `${name} schreibt`, youWrite: (pair, table) => `Du schreibst: ${pair}, ${table}`,
  call: "Rufen an", callTo: (table) => `Rufen an ${table}`, move: "Verlegen an", callBack: "Zurückrufen", paused: "pausiert",
  result: "Ergebnis eingeben", correct: "Ergebnis berichtigen", enterResult: "Eintragen", saveCorrection: "Berichtigen", winner: "Sieger", drawn: "Unentschieden", whoWon: "Wähle, wer gewonnen hat.",
  takeBack: "Ergebnis zurücknehmen", takeBackOf: (pair) => `${pair} zurücknehmen`, givesAway: (name) => `${name} schenkt das Spiel ab`,
  outdated: (score, table) => `endete an ${table} mit ${score}, nachdem es neu gerufen oder zurückgerufen war. Das zählt nirgends`,
  disputeHow: "Am Tisch wurde dieses Ergebnis berichtigt, und der Sieger ist ein anderer. Spiele, die davon abhängen, haben begonnen.", settle: "Das erste Ergebnis stehen lassen",
  pause: "Pausieren", resume: "Weiter", playFirst: "Zuerst hierher rufen", removeTable: "Tisch entfernen", addTable: "Tisch hinzufügen", paper: "Ein Tisch ohne oche", paperHow: "Du rufst die Spiele aus und trägst die Ergebnisse ein.", otherTable: "Tische anderer oches", otherNone: "Noch keiner gefunden. Jedes oche muss laufen und denselben Broker nutzen wie dieses.", tableOf: (bridge) => `auf ${bridge}`, olderTable: (bridge) => `auf ${bridge} · älteres oche: Ergebnisse werden von Hand eingetragen`,
  paperName: "Name des Tisches", paperNumber: (n) => `Papier ${n}`,
  confirm: "Bestätigen", toConfirm: "nicht bestätigt", paid: "Bezahlt", rename: "Umbenennen", save: "Speichern", teamName: "Name der Seite", leave: "Verlässt das Turnier", refuse: "Ablehnen", hasLeft: "ist gegangen", change: "Änderung",
  seed: "Setznummer (0: keine)", seeded: (n) => `gesetzt: ${n}`, rated: (average, darts) => `Average der letzten 90 Tage: ${average} (${darts})`, ratedAs: (rating) => `Spielstärke ${rating}`, unrated: "Kein Average der letzten 90 Tage",
  late: "Nachrücken: in ein Freilos", joinNow: "Steigt jetzt ein", noBye: "Kein freier Platz: die Freilose sind vergeben, oder ihre Partner haben begonnen.", addEntrant: "Name von jemand Neuem",
  challenges: (name) => `${name} fordert`, plays: (name) => `${name} spielt gegen`, isTop: "Niemand steht darüber.", notMet: "Noch nicht gespielt", metBefore: "Schon gespielt",
  signUpCode: "Anmelden", organiserLink: "Auf einem anderen Gerät leiten", saveFile: "Als Datei sichern", saveResults: "Ergebnisse als CSV", end: "Turnier beenden", restore: "Aus einer Datei wiederherstellen",
  newton: {
    title: "Mit NewTon spielen", handOver: "Scanne das mit dem Tablet", text: "Dasselbe als Text", take: "Ergebnis übernehmen", paste: "Text des Ergebnisses einfügen", read: "Text lesen", photo: "Foto des Codes", accept: "Ergebnis annehmen", noPicture: "Diese Datei ist kein Bild.",
    play: "Ein Match von NewTon spielen", playHow: "NewTon zeigt zu jedem Match einen Code. Fotografiere ihn oder füge seinen Text ein.", pasteMatch: "Text des Matches einfügen", planned: (match, table) => `${match}: geplant für ${table}. Starte es dort; nach dem Match zeigt der Tisch den Code für NewTon.`,
  },

  // Die Anmeldung.
  signUp: "Anmelden", signUpFor: (kind) => `Anmeldung: ${kind}`, yourName: "Dein Name", playerNumber: (n) => `Spieler ${n}`, code: "Code auf dem Bildschirm", signUpMore: "Noch jemanden anmelden", signUpClosed: "Die Anmeldung ist geschlossen: frag die Turnierleitung.",
  happensNext: "Du bist sofort dabei. Diese Seite zeigt dann, wann und wo du spielst.", happensConfirmed: "Die Turnierleitung bestätigt dich. Diese Seite zeigt dann, wann und wo du spielst.",
  entered: (n) => `Angemeldet: ${n}`, youAreIn: (name, n) => `${name}, du bist dabei: Nummer ${n}`, youWait: (name) => `${name}, die Turnierleitung muss dich noch bestätigen`,
  yourNext: "Dein nächstes Spiel", youPlay: "Du spielst jetzt", about: (time) => `etwa ${time}`, drawComes: "Als Nächstes wird ausgelost.", noNext: "Auf dich wartet kein Spiel.", yourPlace: (first, last) => (first === last ? `Dein Platz: ${first}` : `Dein Platz: ${first} bis ${last}`),
  placed: (place) => `Platz ${place} in der Tabelle`, placedIn: (place, group) => `Platz ${place} in Gruppe ${group}`,

  redraw: "Neu auslosen", start: "Start", swap: "Tippe zwei Namen an, damit sie die Plätze tauschen.", order: "Reihenfolge", rests: "Setzt aus", bye: "Freilos", sideNumber: (n) => `Seite ${n}`,
  nobody: "niemand", unknown: "noch offen",
  awaits: { winner: (match) => `Sieger ${match}`, loser: (match) => `Verlierer ${match}`, place: (group, place) => `Platz ${place} der Gruppe ${group}` },
  rounds: {
    final: "Finale", second: "Zweites Finale", semi: "Halbfinale", quarter: "Viertelfinale", third: "Spiel um Platz drei", last: (n) => `Letzte ${n}`, round: (n) => `Runde ${n}`,
    winners: (n) => `Gewinnerseite, Runde ${n}`, losers: (n) => `Verliererseite, Runde ${n}`, group: (group) => `Gruppe ${group}`, match: (round, n) => `${round} · ${n}`,
  },
};
