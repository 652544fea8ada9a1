-- What the records come to. All of it may be thrown away and made again: `oche collect fold --again`.
--
-- No name is kept here: a player is a `person_name`, so whoever is joined, split or renamed is so at once. Whoever
-- writes here holds the advisory lock of the figures, and waits for no other lock while it does.

alter table oche.match add column fold_until timestamptz;
alter table oche.match add column fold_pid integer;
comment on column oche.match.fold_until is 'until when one client has this record to itself, as long as it is there';
comment on column oche.match.fold_pid is 'the process of the server that this client speaks to';
alter table oche.match add column folded_by text;
comment on column oche.match.folded_by is 'the program and the rules that came to this fold_state';
alter table oche.match add column continues text;
comment on column oche.match.continues is 'the match of any table that this one goes on with; if stopped, that counts no more';
create index match_continues on oche.match (continues) where continues is not null;
create index match_begun on oche.match (bridge_id, table_name, begun_at);
create index match_id on oche.match (match);
create index match_folded_by on oche.match (folded_by);

alter table oche.person_name add column id bigint generated always as identity unique;

create table oche.variant (
    id integer generated always as identity primary key,
    game text not null,
    variant text not null,
    title text not null,
    figure text not null,
    variant_key text not null,
    title_key text not null,
    unique (game, variant, title, figure)
);
comment on column oche.variant.variant_key is 'casefolded, as it is asked for';

create table oche.played (
    bridge_id uuid not null,
    table_name text not null,
    match text not null,
    begun_at timestamptz not null,
    variant_id integer not null references oche.variant,
    seats bigint[] not null,
    body bytea not null,
    primary key (bridge_id, table_name, match),
    foreign key (bridge_id, table_name, match) references oche.match on delete cascade
);
comment on table oche.played is 'a match that counts';
comment on column oche.played.seats is 'the person_name of each seat, 0 for bots and forgotten players';
comment on column oche.played.body is 'all that the match came to, as JSON; its people are called by their seats';
create index played_begun on oche.played (begun_at);
create index played_at_place on oche.played (bridge_id, begun_at);
create index played_at_table on oche.played (table_name, begun_at);
create index played_variant on oche.played (variant_id, begun_at);
create index played_match on oche.played (match);
create index played_of_two on oche.played (begun_at)
    where cardinality(seats) = 2 and seats[1] <> 0 and seats[2] <> 0;

create table oche.part (
    bridge_id uuid not null,
    table_name text not null,
    match text not null,
    seat smallint not null,
    name_id bigint references oche.person_name (id) on delete set null,
    name_key text,
    begun_at timestamptz not null,
    variant_id integer not null,
    is_counted boolean not null,
    was_stopped boolean not null,
    has_won boolean not null,
    darts integer not null,
    points integer not null,
    marks integer not null,
    legs integer not null,
    legs_won integer not null,
    high_finish integer,
    primary key (bridge_id, table_name, match, seat),
    foreign key (bridge_id, table_name, match) references oche.played on delete cascade
);
comment on table oche.part is 'a seat of a match; is_counted: the player has a part in it, which a bot may have as well';
comment on column oche.part.name_key is 'the folded name of a bot, or of a forgotten player';
create index part_of_name on oche.part (name_id, begun_at) where name_id is not null;
create index part_of_bot on oche.part (name_key, begun_at) where name_key is not null;
create index part_begun on oche.part (begun_at);

create table oche.meeting (
    one bigint not null references oche.person_name (id) on delete cascade,
    other bigint not null references oche.person_name (id) on delete cascade,
    begun_at timestamptz not null,
    bridge_id uuid not null,
    table_name text not null,
    match text not null,
    primary key (one, other, begun_at, bridge_id, table_name, match),
    foreign key (bridge_id, table_name, match) references oche.played on delete cascade,
    check (one < other)
);
comment on table oche.meeting is 'two names that are in one match';
create index meeting_match on oche.meeting (bridge_id, table_name, match);
create index meeting_other on oche.meeting (other);

create table oche.rollup (
    name_id bigint references oche.person_name (id) on delete cascade,
    name_key text,
    bridge_id uuid not null references oche.bridge on delete cascade,
    table_name text not null,
    variant_id integer not null,
    month date not null,
    parts integer not null,
    matches integer not null,
    stopped integer not null,
    won integer not null,
    darts integer not null,
    points integer not null,
    marks integer not null,
    legs integer not null,
    legs_won integer not null,
    high_finish integer,
    first_at timestamptz not null,
    last_at timestamptz not null,
    unique nulls not distinct (name_id, name_key, bridge_id, table_name, variant_id, month)
);
comment on table oche.rollup is 'the parts of a name, or of a bot, in a month (UTC), added up';
create index rollup_month on oche.rollup (month);
