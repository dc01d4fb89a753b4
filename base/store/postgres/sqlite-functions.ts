/**
 * SQLite functions that statements use and PostgreSQL lacks. They are created in the state's schema with `create or
 * replace`, so that each start brings them up to date.
 */
export const SQLITE_FUNCTIONS = `
create or replace function instr(text, text) returns bigint language sql immutable strict parallel safe
  as $$ select strpos($1, $2)::bigint $$;
create or replace function json_extract(text, text) returns text language sql immutable strict
  as $$ select $1::jsonb #>> string_to_array(substr($2, 3), '.') $$;
create or replace function json_set(text, text, json) returns text language sql immutable strict
  as $$ select jsonb_set($1::jsonb, string_to_array(substr($2, 3), '.'), $3::jsonb)::text $$;
create or replace function json_each(text) returns table (key text, value text) language sql immutable strict rows 20
  as $$ select (place - 1)::text, item from jsonb_array_elements_text($1::jsonb) with ordinality as each (item, place) $$;
create or replace function json_each(text, text) returns table (key text, value text) language sql immutable strict rows 5
  as $$ select (place - 1)::text, item
    from jsonb_array_elements_text(coalesce($1::jsonb #> string_to_array(substr($2, 3), '.'), '[]'::jsonb))
      with ordinality as each (item, place) $$;
create or replace function max(bigint, bigint) returns bigint language sql immutable strict parallel safe
  as $$ select greatest($1, $2) $$;
create or replace function min(bigint, bigint) returns bigint language sql immutable strict parallel safe
  as $$ select least($1, $2) $$;
create or replace function min(text, text) returns text language sql immutable strict parallel safe
  as $$ select least($1, $2) $$;
create or replace function substr(text, bigint) returns text language sql immutable strict parallel safe
  as $$ select substr($1, $2::integer) $$;
create or replace function substr(text, bigint, bigint) returns text language sql immutable strict parallel safe
  as $$ select substr($1, $2::integer, $3::integer) $$;
`
