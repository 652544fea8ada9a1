/* The menu: what is done to a match as a whole, and how this device shows it. */

export function openMenu(app) {
}
