-- pgroonga's operators on text without its index: they read every row. An index `using pgroonga` can be created but only
-- supports equality. Facts: pgroonga.github.io/reference.

do $$
begin
  raise warning 'pgroonga: its searches work in undock without an index, by reading every row';
end
$$;

create function pgroonga_match_term(target text, term text) returns boolean language sql immutable strict as $$
  select strpos(lower(target), lower(term)) > 0
$$;
-- All words of a query must be found; `OR` separates alternatives, a minus excludes a word.
create function pgroonga_match_query(target text, query text) returns boolean language sql immutable strict as $$
  select exists (
    select from regexp_split_to_table(query, '\s+OR\s+') as alternative
    where not exists (
      select from regexp_split_to_table(trim(alternative), '\s+') as word
      where word <> '' and (strpos(lower(target), lower(ltrim(word, '-'))) > 0) = starts_with(word, '-')
    )
  )
$$;
create operator &@ (leftarg = text, rightarg = text, function = pgroonga_match_term);
create operator &@~ (leftarg = text, rightarg = text, function = pgroonga_match_query);
create function pgroonga_score(tableoid oid, ctid tid) returns double precision language sql immutable as 'select 1.0::float8';

create access method pgroonga type index handler brinhandler;
create operator class pgroonga_text_full_text_search_ops_v2 default for type text using pgroonga as
  operator 1 =,
  function 1 brin_bloom_opcinfo(internal),
  function 2 brin_bloom_add_value(internal, internal, internal, internal),
  function 3 brin_bloom_consistent(internal, internal, internal, integer),
  function 4 brin_bloom_union(internal, internal, internal),
  function 5 brin_bloom_options(internal),
  function 11 hashtext(text);
