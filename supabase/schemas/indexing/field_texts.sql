-- Field values as text, indexed with the passages of their documents.

/* The words of a document's fields that apply to it. No row if it has none. */
create table private.field_texts (
  document_id uuid primary key references public.documents on delete cascade,
  library_id uuid not null,
  words text not null
);

create index field_texts_words_idx on private.field_texts using gin (private.title_words(words));

/* Documents still indexed by their fields' former words. Small changes are followed at commit, large ones in the background. */
create table private.outdated_words (
  document_id uuid primary key references public.documents on delete cascade,
  since timestamptz not null default now()
);

create index outdated_words_since_idx on private.outdated_words (since);

/* Updates field texts and marks changed documents for reindexing. At most 4,000 characters, because every passage indexes them. */
create function private.update_field_texts(documents uuid[]) returns void
  language plpgsql set search_path = ''
as $$
begin
  with asked as (
    select d.id, d.library_id, d.collection_id from public.documents d where d.id = any (documents)
  ), places as (
    select p.collection_id, array_agg(a) as around
    from (select distinct a.collection_id from asked a) p, private.collections_around(p.collection_id) a group by 1
  ), texts as (
    select a.id, a.library_id, left(string_agg(coalesce(v.text_value, o.name), ' ' order by f.position, f.id, o.position), 4000) as words
    from asked a
    join places p on p.collection_id = a.collection_id
    join public.field_values v on v.document_id = a.id and v.kind in ('text', 'choice')
    join public.collection_fields f on f.id = v.field_id and f.collection_id = any (p.around)
    left join public.field_options o on o.id = v.option_id
    group by 1, 2
  ), kept as (
    insert into private.field_texts as t (document_id, library_id, words) select id, library_id, words from texts order by id
    on conflict (document_id) do update set words = excluded.words where t.words <> excluded.words
    returning document_id
  ), removed as (
    delete from private.field_texts t
    where t.document_id in (select a.id from asked a) and t.document_id not in (select id from texts)
    returning document_id
  )
  insert into private.outdated_words (document_id)
    select document_id from kept union select document_id from removed order by 1
  on conflict do nothing;
end
$$;

-- Why a definer: users can't write the texts of fields.
create function private.follow_field_values() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.update_field_texts(array(select distinct c.document_id from changed c where c.kind in ('text', 'choice')));
  return null;
end
$$;
create trigger follow_added after insert on public.field_values referencing new table as changed
  for each statement execute function private.follow_field_values();
create trigger follow_changed after update on public.field_values referencing new table as changed
  for each statement execute function private.follow_field_values();
create trigger follow_removed after delete on public.field_values referencing old table as changed
  for each statement execute function private.follow_field_values();

-- While options are saved, each is briefly named by its id (save_field).
create function private.follow_renamed_options() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  perform private.update_field_texts(array(
    select distinct v.document_id
    from renamed n join former f on f.id = n.id and f.name <> n.name
    join public.field_values v on v.option_id = n.id and v.field_id = n.field_id
    where n.name <> n.id::text));
  return null;
end
$$;
create trigger follow_renamed after update on public.field_options referencing old table as former new table as renamed
  for each statement execute function private.follow_renamed_options();

-- Which fields apply depends on the collection. Most documents have no values.
create function private.follow_moved_document(document uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  if exists (select from public.field_values v where v.document_id = document) then
    perform private.update_field_texts(array[document]);
  end if;
end
$$;

-- Why a definer: users can't write the texts of fields.
create function private.follow_moved_collection() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.update_field_texts(array(
    select distinct v.document_id from public.documents d join public.field_values v on v.document_id = d.id
    where d.collection_id in (select private.collections_within(new.id))));
  return null;
end
$$;
create trigger follow_fields after update of parent_id on public.collections
  for each row when (new.parent_id is distinct from old.parent_id) execute function private.follow_moved_collection();

/* Reindexes an outdated document by its current title and fields. */
create function private.renew_words(document uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  -- Waits for anyone replacing its passages.
  perform from public.documents d where d.id = document for no key update;
  delete from private.outdated_words o where o.document_id = document;
  -- Someone else may have done it in the meantime.
  if not found or not exists (select from public.passages p where p.document_id = document) then return; end if;
  perform private.index_again(document);
end
$$;

/* At commit: a hundred passages take less than a tenth of a second; the rest is done in the background.
   Why a definer: it runs at the commit of any user, who can't write a document's words. */
create function private.reindex_few() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  passages integer := (select count(*) from (select from public.passages p where p.document_id = new.document_id limit 101) p);
begin
  passages := passages + coalesce(nullif(current_setting('carrel.passages_renewed', true), ''), '0')::integer;
  perform set_config('carrel.passages_renewed', passages::text, true);
  if passages <= 100 then perform private.renew_words(new.document_id); else perform private.call_indexer(); end if;
  return null;
end
$$;
create constraint trigger reindex_few after insert on private.outdated_words
  deferrable initially deferred for each row execute function private.reindex_few();

/* Continues for about `most_time`, skipping locked documents. Returns whether some may be left. */
create function public.reindex_waiting(most_time interval default '2 seconds') returns boolean
  language plpgsql set search_path = ''
as $$
declare
  until constant timestamptz := clock_timestamp() + most_time;
  next_document uuid;
begin
  loop
    select o.document_id into next_document from private.outdated_words o join public.documents d on d.id = o.document_id
      order by o.since limit 1 for no key update of d skip locked;
    if next_document is null then return false; end if;
    perform private.renew_words(next_document);
    if clock_timestamp() > until then return true; end if;
  end loop;
end
$$;
grant execute on function public.reindex_waiting to service_role;
