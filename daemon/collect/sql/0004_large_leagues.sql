-- What keeps the pages of a large league fast.

alter table oche.rollup add column player text generated always as (coalesce(name_id::text, '=' || name_key)) stored;
comment on column oche.rollup.player is 'the name or the bot, as one key';
alter table oche.rollup drop constraint rollup_name_id_name_key_bridge_id_table_name_variant_id_mon_key;
alter table oche.rollup add primary key (player, bridge_id, table_name, variant_id, month);
create index rollup_name on oche.rollup (name_id);

alter table oche.played add column digest json;
comment on column oche.played.digest is 'what ratings and the tables of months are made of; null: none of it counts';
update oche.match set fold_state = 'new', fold_until = null;

create table oche.kept (
    question text not null,
    stamp text not null,
    since timestamptz not null,
    until timestamptz not null,
    state bytea not null,
    primary key (question, stamp, until)
);
comment on table oche.kept is 'what the matches from `since` to before `until` come to, as JSON; persons are their ids';
comment on column oche.kept.stamp is 'the program and the time zone that it is by';

create table oche.kept_change (begun_at timestamptz not null);
create index kept_change_begun on oche.kept_change (begun_at);
comment on table oche.kept_change is 'when matches began that have changed since: what was kept of such a time is wrong';

-- Whoever changes figures only adds rows, which nobody has to wait for.

create function oche.note_played() returns trigger language plpgsql as $$
begin
    insert into oche.kept_change select distinct begun_at from changed;
    return null;
end $$;
create trigger played_added after insert on oche.played
    referencing new table as changed for each statement execute function oche.note_played();
create trigger played_dropped after delete on oche.played
    referencing old table as changed for each statement execute function oche.note_played();

create function oche.note_person() returns trigger language plpgsql as $$
begin
    insert into oche.kept_change select distinct begun_at from oche.part where name_id = old.id;
    return null;
end $$;
create trigger person_moved after update of person_id on oche.person_name
    for each row when (old.person_id <> new.person_id) execute function oche.note_person();
