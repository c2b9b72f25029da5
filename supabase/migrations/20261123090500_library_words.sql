-- What a library's index holds: its words and its state. Told to members only; a guest sees no numbers of the whole library

/* The library's words that begin like this, the most frequent first. */
create function public.library_words(library uuid, prefix text default '', max_results integer default 100)
  returns table (word text, documents integer, passages integer)
  language sql stable security definer set search_path = ''
as $$
  select v.word, greatest(sum(v.documents), 0)::integer, sum(v.passages)::integer
  from private.library_vocabulary v,
    private.plain_words(lower(left(coalesce(library_words.prefix, ''), 100))) as p (beginning)
  where library_words.library in (select private.library_ids()) and v.library_id = library_words.library
    and v.word <> '' and v.word >= beginning and v.word < beginning || chr(1114111)
  group by v.word having sum(v.passages) > 0
  order by sum(v.passages) desc, v.word limit least(greatest(library_words.max_results, 1), 1000)
$$;

/* { passages, by_model: { model: n }, by_language: { language: n }, words, learned, waiting, failed }, or null for who is no
   member. `learned` is null: what passages have in common is found out at each search. waiting, failed: documents. */
create function public.index_health(library uuid) returns jsonb
  language sql stable security definer set search_path = ''
as $$
  with found as materialized (
    select p.embedding_model, coalesce(p.language, 'unknown') as language, count(*) as n
    from public.passages p join private.passage_terms t on t.passage_id = p.id
    where p.library_id = index_health.library group by 1, 2
  ), documents as materialized (
    select d.state from public.documents d where d.library_id = index_health.library and d.deleted_at is null
  )
  select jsonb_build_object(
    'passages', (select coalesce(sum(n), 0) from found),
    'by_model', (select coalesce(jsonb_object_agg(m.model, m.n), '{}')
      from (select embedding_model as model, sum(n) as n from found group by 1) m),
    'by_language', (select coalesce(jsonb_object_agg(l.language, l.n), '{}')
      from (select language, sum(n) as n from found group by 1) l),
    'words', (select count(*) from (
      select from private.library_vocabulary v where v.library_id = index_health.library and v.word <> ''
      group by v.word having sum(v.passages) > 0) w),
    'learned', null,
    'waiting', (select count(*) from documents where state in ('queued', 'extracting', 'embedding')),
    'failed', (select count(*) from documents where state = 'failed'))
  where index_health.library in (select private.library_ids())
$$;
grant execute on function public.library_words, public.index_health to authenticated;

/* The words of a question, as search_passages reads them, and what each is worth in this library: the rarer it is, the more, and
   most if the library does not have it. Ask judges by them whether a passage speaks of what was asked. A guest is told numbers
   of the documents that they see. */
create function public.weigh_words(library uuid, query text) returns table (word text, weight real)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  is_member constant boolean := library in (select private.library_ids());
  included uuid[];
  passage_count double precision;
begin
  if library not in (select private.library_ids('guest')) then return; end if;
  included := private.searched_documents(library, '{}', is_member);
  if is_member then
    select sum(v.passages) into passage_count from private.library_vocabulary v where v.library_id = library and v.word = '';
  else
    select count(*) into passage_count from private.passage_terms t where t.document_id = any (included);
  end if;
  return query
    select case w.word when private.plain_words(lower(w.typed)) then w.typed else w.word end,
      private.word_weight(w.passages, coalesce(passage_count, 0))::real
    from private.query_words(library, left(coalesce(query, ''), 1000), '{}', included, coalesce(passage_count, 0), true) w;
end
$$;
grant execute on function public.weigh_words to authenticated;
