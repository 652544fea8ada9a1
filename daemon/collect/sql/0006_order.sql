-- Which of two messages of a daemon is the newer one.

alter table oche.match add column said_order bigint;
comment on column oche.match.said_order is 'the order of the offer of this record; null: it was offered without one';
alter table oche.bridge add column players_order bigint;
comment on column oche.bridge.players_order is 'the same of the last message on renamed and joined players';
