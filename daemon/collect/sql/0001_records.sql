-- What the daemons have sent, as it came, and who plays in it.
--
-- Whoever writes for a daemon first locks its row in `bridge` (those of several in the order of their ids), then the
-- advisory lock of what is unreadable, where that is written or emptied, then, where persons are made or joined, that of
-- the people.

create table oche.bridge (
    bridge_id uuid primary key,
    base text not null,
    name text not null,
    place text not null default '',
    players_sha256 text not null default '',
    first_seen_at timestamptz not null default now(),
    seen_at timestamptz not null default now()
);
comment on table oche.bridge is 'a daemon, by its id and the topic from which the id came first';
comment on column oche.bridge.players_sha256 is 'of the last message on renamed and joined players';

create table oche.claim (
    bridge_id uuid not null references oche.bridge on delete cascade,
    base text not null,
    name text not null,
    first_seen_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    primary key (bridge_id, base, name)
);
comment on table oche.claim is 'an id of a daemon that came from another topic too: a copied folder, or a new name';

create table oche.match (
    bridge_id uuid not null references oche.bridge on delete cascade,
    table_name text not null,
    match text not null,
    layout text not null,
    begun_at timestamptz,
    lines integer not null,
    sha256 bytea not null,
    record bytea not null,
    names text[] not null,
    fold_state text not null default 'new' check (fold_state in ('new', 'folded', 'waiting', 'unreadable')),
    fold_reason text,
    taken_at timestamptz not null default now(),
    changed_at timestamptz not null default now(),
    primary key (bridge_id, table_name, match)
);
comment on column oche.match.sha256 is 'of the record as it was offered; forgotten names are taken out of what is kept';
comment on column oche.match.record is 'zlib of the record, a header and input lines, each with a line feed';
comment on column oche.match.names is 'the folded names of the people in the header';
create index match_not_folded on oche.match (fold_state, changed_at) where fold_state <> 'folded';

create table oche.edition (
    bridge_id uuid not null,
    table_name text not null,
    match text not null,
    sha256 bytea not null,
    lines integer not null,
    record bytea not null,
    names text[] not null,
    state text not null check (state in ('replaced', 'conflict')),
    replaced_at timestamptz not null default now(),
    kept_until timestamptz,
    primary key (bridge_id, table_name, match, sha256),
    foreign key (bridge_id, table_name, match) references oche.match on delete cascade
);
comment on table oche.edition is 'a former record of a match: one that went on, or one that contradicts the present one';
create index edition_kept_until on oche.edition (kept_until) where kept_until is not null;

create table oche.unreadable (
    id bigint generated always as identity primary key,
    base text not null,
    name text not null,
    sha256 bytea not null,
    match text not null,
    reason text not null,
    payload bytea,
    times integer not null default 1,
    first_seen_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    unique (base, name, sha256)
);
comment on table oche.unreadable is 'a message from this topic that is no record; sha256 is that of the whole message';

create table oche.person (
    id bigint generated always as identity primary key,
    shown text not null,
    shown_key text not null unique,
    is_named boolean not null default false,
    joined_to bigint references oche.person on delete set null,
    made_at timestamptz not null default now()
);
comment on column oche.person.is_named is 'the shown name was chosen by the league, so no daemon changes it';
comment on column oche.person.joined_to is 'who this person is, where something still points here after a join';

create table oche.person_name (
    bridge_id uuid not null references oche.bridge on delete cascade,
    name_key text not null,
    name text not null,
    person_id bigint not null references oche.person,
    is_joined boolean not null default false,
    changed_at timestamptz not null default now(),
    primary key (bridge_id, name_key)
);
comment on table oche.person_name is 'whose a name in the records of a daemon is';
comment on column oche.person_name.is_joined is 'its daemon says that the same player has other names too';
create index person_name_person on oche.person_name (person_id);
create index person_name_key on oche.person_name (name_key);

create table oche.forgotten (
    bridge_id uuid not null references oche.bridge on delete cascade,
    name_hash bytea not null,
    at timestamptz not null,
    primary key (bridge_id, name_hash)
);
comment on table oche.forgotten is 'sha256 of the id of a daemon and a folded name that records begun before `at` lose';

create table oche.forgetting (
    bridge_id uuid not null references oche.bridge on delete cascade,
    id text not null,
    matches integer not null,
    heard_at timestamptz not null default now(),
    primary key (bridge_id, id)
);
comment on table oche.forgetting is 'a forgetting that was carried out, so that it is answered alike when it is said again';
