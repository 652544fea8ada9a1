/* The facts that are flashed large, the least first, and their tones; made from protocol/facts.py. */

export const MOMENTS = {
  closed: "high",
  claimed: "high",
  halved: "low",
  life_lost: "low",
  award: "high",
  badge: "high",
  bust: "low",
  match_dart_missed: "low",
  eliminated: "low",
  comeback: "rising",
  leg_won: "rising",
  set_won: "rising",
  match_won: "won",
};
