/* The lobby: where the next match is put together. */

export function openLobby(app) {
}
