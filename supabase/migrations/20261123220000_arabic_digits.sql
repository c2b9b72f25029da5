-- Numbers in Arabic and Persian digits. Postgres' class of letters and digits has only European ones, so search passed over the others.
-- Now "٤٢", "۴۲" and "42" are the same word

-- One letter for one letter, so that positions stay the same. Texts without any other letter are not looked through.
create or replace function private.without_accents(content text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when octet_length(content) = char_length(content) then content else
    translate(content, 'àáâãäåçèéêëìíîïñòóôõöøùúûüýÿÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝ٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹',
      'aaaaaaceeeeiiiinoooooouuuuyyAAAAAACEEEEIIIINOOOOOOUUUUY01234567890123456789') end
$$;

-- As it was, but for the words of a query: they may have these digits.
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
    found_word.is_beginning := false;
    found_word.is_required := found_word.word = any (required);
    found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
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

-- What was read before. The column `search` is generated from the text, whenever its row is written.
update public.passages set content = content where concat(heading, content) ~ '[٠-٩۰-۹]';
select private.unindex_document(d.id), private.index_document(d.id) from public.documents d
where d.title ~ '[٠-٩۰-۹]'
  or exists (select from public.passages p where p.document_id = d.id and concat(p.heading, p.content) ~ '[٠-٩۰-۹]');
