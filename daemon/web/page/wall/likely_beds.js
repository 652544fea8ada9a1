/* The beds that a dart may be in, for a correction: those that its board held possible, then those nearest to its point. */

import { clearance } from "../outline.js";

const MOST = 5;

/** Returns the ids of the likely beds, the likeliest first; none where the board has told neither a point nor other beds.
    @param {Oche.Layout} layout @param {Pick<Oche.Dart, "close" | "point" | "segment" | "unread">} dart
    @param {(id: string) => string} widen the segment as the game tells it */
export function findLikely(layout, { close = [], point, segment, unread }, widen) {
  const known = new Set(layout.segments.map(({ id }) => id));
  const beds = [...close, ...(point ? sortByDistance(layout, point) : [])].map(widen);
  return [...new Set(beds)].filter((id) => known.has(id) && (unread || id !== widen(segment))).slice(0, MOST);
}

/** Returns all areas and the miss, the nearest to this point first. @param {Oche.Layout} layout @param {Oche.Point2} point */
function sortByDistance({ miss, radius, segments }, point) {
  /** @type {[id: string, distance: number][]} */
  const areas = segments.filter(({ outline }) => outline.length).map(({ id, outline }) => [id, Math.max(0, -clearance(outline, point))]);
  const isOnFace = areas.some(([, distance]) => distance === 0);
  areas.push([miss, isOnFace ? Math.max(0, radius - Math.hypot(...point)) : 0]);
  return areas.sort(([, one], [, other]) => one - other).map(([id]) => id);
}
