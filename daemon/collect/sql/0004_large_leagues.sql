-- What keeps the pages of a large league fast.

alter table oche.rollup add column player text generated always as (coalesce(name_id::text, '=' || name_key)) stored;
comment on column oche.rollup.player is 'the name or the bot, as one key';
alter table oche.rollup drop constraint rollup_name_id_name_key_bridge_id_table_name_variant_id_mon_key;
alter table oche.rollup add primary key (player, bridge_id, table_name, variant_id, month);
create index rollup_name on oche.rollup (name_id);
