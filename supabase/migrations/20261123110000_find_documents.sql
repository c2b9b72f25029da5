-- Documents by their titles, for whoever goes straight to one
create extension if not exists pg_trgm with schema extensions;

-- A title's words, however they are joined: "annual-report_2025.pdf" has four.
create function private.title_words(title text) returns tsvector
  language sql immutable strict parallel safe set search_path = ''
as $$ select to_tsvector('pg_catalog.simple', regexp_replace(title, '[^[:alnum:]]+', ' ', 'g')) $$;

-- Whoever changes a title computes the index.
grant execute on function private.title_words to authenticated, service_role;

create index documents_title_words_idx on public.documents using gin (private.title_words(title)) where deleted_at is null;
create index documents_title_letters_idx on public.documents using gin (title extensions.gin_trgm_ops) where deleted_at is null;

/* The documents whose titles have every word of the query, or words that begin like them, or the query within a word; where
   no title has, those whose titles are spelt alike. The best match comes first: the whole title, its beginning, then its words;
   among equals what was changed last.

   collection  looks only there and in the collections inside it.

   Runs as its owner, because under row security Postgres may not use these indexes (their operators are not leak-proof); so it
   asks for membership itself, and tells a guest of documents in granted collections only. */
create function public.find_documents(library uuid, query text, max_results integer default 20, collection uuid default null)
  returns table (document_id uuid, title text, kind public.document_kind, mime_type text, collection_id uuid)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted constant text := lower(trim(left(query, 300)));
  pattern constant text := '%' || regexp_replace(wanted, '([\\%_])', '\\\1', 'g') || '%';
  most constant integer := least(greatest(max_results, 1), 100);
  least_alike constant real := 0.4;
  is_member constant boolean := library in (select private.library_ids()); -- or else a guest
  words constant text[] := array(select word from regexp_split_to_table(wanted, '[^[:alnum:]]+') word where word <> '');
  prefixes constant tsquery := (select to_tsquery('pg_catalog.simple', string_agg(word || ':*', ' & ')) from unnest(words) word);
  places uuid[]; -- null: everywhere
begin
  if wanted = '' or library not in (select private.library_ids('guest')) then return; end if;

  if collection is not null then
    places := array(
      with recursive within (id) as (
        select collection
        union
        select c.id from public.collections c join within w on c.parent_id = w.id
      )
      select id from within);
  end if;

  return query
    select d.id, d.title, d.kind, d.mime_type, d.collection_id from public.documents d
    where d.library_id = library and d.deleted_at is null
      and (private.title_words(d.title) @@ prefixes or d.title ilike pattern)
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (places is null or d.collection_id = any (places))
    order by lower(d.title) = wanted desc, starts_with(lower(d.title), wanted) desc,
      coalesce(private.title_words(d.title) @@ prefixes, false) desc, d.updated_at desc, d.id
    limit most;
  if found then return; end if;

  -- Two letters in the wrong order leave a word of six with less than half of its letter triples.
  perform set_config('pg_trgm.word_similarity_threshold', least_alike::text, true);
  return query
    select d.id, d.title, d.kind, d.mime_type, d.collection_id
    from public.documents d, lateral (
      select avg(extensions.word_similarity(word, d.title)) as likeness from unnest(words) word
    ) spelling
    where d.library_id = library and d.deleted_at is null
      and d.title operator(extensions.%>) any (words) and likeness >= least_alike
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (places is null or d.collection_id = any (places))
    order by likeness desc, d.updated_at desc, d.id
    limit most;
end
$$;
grant execute on function public.find_documents to authenticated;
