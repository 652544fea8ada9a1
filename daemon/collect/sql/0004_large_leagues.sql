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

create table oche.kept_change (begun_at timestamptz, name_id bigint);
create index kept_change_begun on oche.kept_change (begun_at);
create index kept_change_name on oche.kept_change (name_id) where name_id is not null;
comment on table oche.kept_change is 'what has changed since: what was kept of the time of such a match is wrong';
comment on column oche.kept_change.begun_at is 'when a match began';
comment on column oche.kept_change.name_id is 'the person_name of all matches in question';

-- Whoever changes figures only adds rows, which nobody has to wait for.

create function oche.note_played() returns trigger language plpgsql as $$
begin
    insert into oche.kept_change (begun_at) select distinct begun_at from changed;
    return null;
end $$;
create trigger played_added after insert on oche.played
    referencing new table as changed for each statement execute function oche.note_played();
create trigger played_dropped after delete on oche.played
    referencing old table as changed for each statement execute function oche.note_played();

-- Of a name, for matches with it may be written at the same moment.

create function oche.note_person() returns trigger language plpgsql as $$
begin
    insert into oche.kept_change (name_id) values (old.id);
    return null;
end $$;
create trigger person_moved after update of person_id on oche.person_name
    for each row when (old.person_id <> new.person_id) execute function oche.note_person();

create function oche.note_dropped() returns trigger language plpgsql as $$
begin
    insert into oche.kept_change (begun_at) select distinct begun_at from oche.part where name_id = old.id;
    return old;
end $$;
create trigger person_dropped before delete on oche.person_name
    for each row execute function oche.note_dropped();
