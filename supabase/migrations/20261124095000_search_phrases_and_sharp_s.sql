-- Phrases with stop words are found in libraries of several languages, and "ß" and "ss" are the same letters to search

/* A text with nothing but letters, digits and spaces, and without accents. As long as the text itself. */
create function private.plain_letters(content text) returns text
  language sql immutable strict parallel safe
as $$ select regexp_replace(private.without_accents(content), '[^[:alnum:] ]', ' ', 'g') $$;

/* The words of a text as search compares them, so that "café", "cafe" and "/var/cafe" have a word in common, and "Straße" and
   "Strasse" are one. Longer than the text where it has an ß. */
create or replace function private.plain_words(content text) returns text
  language sql immutable strict parallel safe
as $$ select replace(replace(private.plain_letters(content), 'ß', 'ss'), 'ẞ', 'SS') $$;

/* As before. The title "Straße" has the word "strasse", too. */
create or replace function private.title_words(title text) returns tsvector
  language sql immutable strict parallel safe set search_path = ''
as $$
  select to_tsvector('pg_catalog.simple', regexp_replace(
    case when title ~ '[ßẞ]' then title || ' ' || replace(replace(title, 'ß', 'ss'), 'ẞ', 'SS') else title end,
    '[^[:alnum:]]+', ' ', 'g'))
$$;
reindex index public.documents_title_words_idx;
reindex index public.field_values_words_idx;
reindex index private.field_texts_words_idx;

/* As before; words with an ß are looked for as search compares them, and marked where they stand. */
create or replace function private.highlights(content text, language text, words private.query_word[]) returns jsonb
  language sql stable set search_path = ''
as $$
  with asked as (
    select c.configuration, string_agg(nullif(case when w.is_beginning then quote_literal(w.word) || ':*'
      else plainto_tsquery(c.configuration, w.word)::text end, ''), ' | ')::tsquery as query
    from private.text_configuration(language) as c (configuration), unnest(words) w group by 1
  ), written as (
    select a.configuration, concat_ws(' | ', a.query::text, (
      select string_agg(distinct plainto_tsquery(a.configuration, private.plain_letters(m.words[1]))::text, ' | ')
      from regexp_matches(content, '[[:alnum:]]*[ßẞ][[:alnum:]]*', 'g') as m (words)
      where to_tsvector(a.configuration, private.plain_words(m.words[1])) @@ a.query))::tsquery as query
    from asked a where a.query is not null
  ), marked as (
    select ts_headline(w.configuration, private.plain_letters(content), w.query,
      E'HighlightAll=true, StartSel="\x01", StopSel="\x02"') as text,
      octet_length(content) > char_length(content) and content ~ '[\U00010000-\U0010FFFF]' as has_pairs
    from written w
  ), pieces as (
    select ordinality as n, char_length(split_part(piece, E'\x02', 1)) as hit, char_length(split_part(piece, E'\x02', 2)) as rest,
      has_pairs
    from marked, string_to_table(marked.text, E'\x01') with ordinality as t (piece, ordinality)
  ), placed as (
    select n, hit, (sum(hit + rest) over (order by n) - hit - rest)::integer as start, has_pairs from pieces
  ), counted as (
    select n, start + pairs as start, start + pairs + hit as stop
    from placed, lateral (select case when has_pairs
      then regexp_count(left(content, start), '[\U00010000-\U0010FFFF]') else 0 end as pairs) p
    where n > 1
  )
  select coalesce(jsonb_agg(jsonb_build_array(start, stop) order by n), '[]') from counted
$$;

/* As before. A stop word of one of the library's languages stands in no index of a passage in that language, so a phrase does not
   require it: has_literally looks for the phrase itself. One that no passage has is no unknown word. */
create or replace function private.query_words(
  library uuid, query text, required text[], included uuid[], passage_count double precision, correct boolean
) returns setof private.query_word
  language plpgsql stable set search_path = ''
as $$
declare
  configurations regconfig[] := array(
    select distinct private.text_configuration(l.language) from private.library_languages l where l.library_id = library);
  begun constant text := private.plain_words(lower(substring(query from '[[:alnum:]٠-٩۰-۹]+$')));
  found_word private.query_word;
  is_stop_word boolean;
  meant text;
begin
  if cardinality(configurations) = 0 then configurations := array['pg_catalog.english'::regconfig]; end if;
  for found_word.typed, found_word.word, found_word.times in
    select min(m.words[1]), private.plain_words(lower(m.words[1])), count(*)
    from regexp_matches(query, '[[:alnum:]٠-٩۰-۹]+', 'g') with ordinality as m (words, n)
    group by 2 order by min(m.n) limit 40
  loop
    found_word.terms := private.stems(library, found_word.word, configurations);
    continue when cardinality(found_word.terms) = 0;
    is_stop_word := exists (select from unnest(configurations) c where length(to_tsvector(c, found_word.word)) = 0);
    found_word.is_beginning := false;
    found_word.is_required := found_word.word = any (required) and not is_stop_word;
    found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
    continue when found_word.passages = 0 and is_stop_word;
    if found_word.passages = 0 and found_word.is_required is not true then
      if found_word.word = begun and char_length(begun) > 1 then
        found_word.is_beginning := true;
        found_word.terms := coalesce(nullif(private.terms_beginning(library, begun, included), '{}'), found_word.terms);
        found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
      end if;
      if found_word.passages = 0 and correct then
        meant := private.nearest_word(library, found_word.word, included);
        if meant is not null then
          found_word.is_beginning := false;
          found_word.word := meant;
          found_word.terms := private.stems(library, meant, configurations);
          found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
        end if;
      end if;
    end if;
    return next found_word;
  end loop;
end
$$;

create or replace function private.has_literally(passage uuid, literal text) returns boolean
  language sql stable set search_path = ''
as $$
  select (p.search || to_tsvector(c.configuration, private.plain_words(concat_ws(' ', d.title, t.words))))
    @@ websearch_to_tsquery(c.configuration, replace(replace(literal, 'ß', 'ss'), 'ẞ', 'SS'))
  from public.passages p join public.documents d on d.id = p.document_id
    left join private.field_texts t on t.document_id = p.document_id,
    private.text_configuration(p.language) as c (configuration)
  where p.id = passage
$$;

-- What was read before. The column `search` is generated from the text, whenever its row is written.
update public.passages set content = content where concat(heading, content) ~ '[ßẞ]';
select private.renew_words(d.id) from public.documents d
where d.title ~ '[ßẞ]'
  or exists (select from private.field_texts t where t.document_id = d.id and t.words ~ '[ßẞ]')
  or exists (select from public.passages p where p.document_id = d.id and concat(p.heading, p.content) ~ '[ßẞ]');
