-- Custom fields of a collection's documents: text, number, date, person, choice. They also apply in nested collections.

create type public.field_kind as enum ('text', 'number', 'date', 'person', 'choice');

create table public.collection_fields (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  collection_id uuid not null,
  -- Searches name it ("Due date":2026), so it can't contain quotation marks.
  name text not null check (char_length(trim(name)) between 1 and 60 and name !~ '["[:cntrl:]]'),
  -- Fixed at creation, because it determines the type of the values.
  kind public.field_kind not null,
  takes_several boolean not null default false check (not takes_several or kind in ('person', 'choice')),
  position double precision not null default 0 check (position > '-Infinity' and position < 'Infinity'),
  created_at timestamptz not null default now(),
  unique (id, library_id),
  unique (id, library_id, kind, takes_several),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade
);
alter table public.collections add foreign key (sort_field_id, library_id) references public.collection_fields (id, library_id) on delete set null (sort_field_id);

create unique index collection_fields_name_idx on public.collection_fields (collection_id, lower(name));
create index collection_fields_library_id_idx on public.collection_fields (library_id);
create index collection_fields_collection_id_idx on public.collection_fields (collection_id, library_id);

alter table public.collection_fields enable row level security;
-- The rest is written by the functions below, which validate fields with their options and values with their fields.
grant select, delete, update (position) on public.collection_fields to authenticated;
grant all on public.collection_fields to service_role;
grant select on public.collection_fields to api_key;

create policy "editors of a collection delete its fields" on public.collection_fields for delete to authenticated
  using (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );

create policy "editors of a collection order its fields" on public.collection_fields for update to authenticated
  using (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );

create table public.field_options (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  field_id uuid not null,
  name text not null check (char_length(trim(name)) between 1 and 60 and name !~ '["[:cntrl:]]'),
  color text not null default 'slate' check (color ~ '^[a-z]{3,20}$'), -- from the app's palette
  position double precision not null default 0,
  unique (id, field_id),
  foreign key (field_id, library_id) references public.collection_fields (id, library_id) on delete cascade
);

create unique index field_options_name_idx on public.field_options (field_id, lower(name));
create index field_options_field_id_idx on public.field_options (field_id, library_id);
create index field_options_library_id_idx on public.field_options (library_id);

alter table public.field_options enable row level security;
grant select on public.field_options to authenticated, api_key;
grant all on public.field_options to service_role;

create policy "who sees a field sees its options" on public.field_options for select to authenticated, api_key
  using (
    library_id in (select private.library_ids('guest')) and exists (select from public.collection_fields f where f.id = field_id)
  );

/* One row per value. A moved document keeps values of fields that no longer apply, hidden, so that a move can be undone. */
create table public.field_values (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  document_id uuid not null,
  field_id uuid not null,
  kind public.field_kind not null,
  takes_several boolean not null,
  text_value text check (char_length(trim(text_value)) between 1 and 2000),
  number_value double precision check (number_value between -1e15 and 1e15), -- neither infinite nor NaN
  date_value date check (date_value between '0001-01-01' and '9999-12-31'),
  -- People who leave the library stay named, like authors.
  person_id uuid references public.profiles on delete cascade,
  option_id uuid,
  check (num_nonnulls(text_value, number_value, date_value, person_id, option_id) = 1),
  check (case kind when 'text' then text_value is not null when 'number' then number_value is not null
    when 'date' then date_value is not null when 'person' then person_id is not null else option_id is not null end),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  foreign key (field_id, library_id, kind, takes_several)
    references public.collection_fields (id, library_id, kind, takes_several) on delete cascade,
  foreign key (option_id, field_id) references public.field_options (id, field_id) on delete cascade
);

create unique index field_values_single_idx on public.field_values (document_id, field_id) where not takes_several;
create unique index field_values_several_idx on public.field_values (document_id, field_id, option_id, person_id) nulls not distinct
  where takes_several;
create index field_values_document_id_idx on public.field_values (document_id, library_id);
create index field_values_library_id_idx on public.field_values (library_id);
create index field_values_field_id_idx on public.field_values (field_id, library_id, kind, takes_several);
-- For a shelf's filters and orders. Text is ordered by its beginning, because the whole may not fit into an index.
create index field_values_text_idx on public.field_values (field_id, left(lower(text_value), 200), document_id) where kind = 'text';
create index field_values_number_idx on public.field_values (field_id, number_value, document_id) where kind = 'number';
create index field_values_date_idx on public.field_values (field_id, date_value, document_id) where kind = 'date';
create index field_values_option_id_idx on public.field_values (option_id, field_id, document_id);
create index field_values_person_id_idx on public.field_values (person_id, field_id, document_id);
create index field_values_words_idx on public.field_values using gin (private.title_words(text_value)) where kind = 'text';

alter table public.field_values enable row level security;
grant select on public.field_values to authenticated, api_key;
grant all on public.field_values to service_role;

create policy "who sees a document sees its values" on public.field_values for select to authenticated, api_key
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));

/* A person's view of a collection's list: columns in order, [{ "column": "size", "width": 120 }, …]. */
create table public.collection_views (
  user_id uuid not null default auth.uid(),
  library_id uuid not null,
  collection_id uuid not null,
  columns jsonb not null check (jsonb_typeof(columns) = 'array' and octet_length(columns::text) <= 16384),
  primary key (user_id, collection_id),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade,
  foreign key (library_id, user_id) references public.members (library_id, user_id) on delete cascade
);

create index collection_views_collection_id_idx on public.collection_views (collection_id, library_id);
create index collection_views_library_id_idx on public.collection_views (library_id, user_id);

alter table public.collection_views enable row level security;
grant select, delete, insert (library_id, collection_id, columns), update (library_id, collection_id, columns)
  on public.collection_views to authenticated;
grant all on public.collection_views to service_role;

create policy "people keep their own views" on public.collection_views for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  with check (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and exists (select from public.collections c where c.id = collection_id)
  );

-- Returns a collection and its ancestors, whose fields apply in it.
-- Why a definer: guests can't see the ancestors of a granted collection, but see their fields.
create function private.collections_around(collection uuid) returns setof uuid
  language sql stable security definer set search_path = '' rows 5
as $$
  with recursive around (id, parent_id) as (
    select c.id, c.parent_id from public.collections c where c.id = collection
    union
    select c.id, c.parent_id from public.collections c join around a on c.id = a.parent_id
  )
  select id from around
$$;
grant execute on function private.collections_around to authenticated, api_key;

-- Returns a collection and its descendants, in which its fields apply.
create function private.collections_within(collection uuid) returns setof uuid
  language sql stable set search_path = '' rows 20
as $$
  with recursive within (id) as (
    select collection
    union
    select c.id from public.collections c join within w on c.parent_id = w.id
  )
  select id from within
$$;

-- Returns the collections whose fields apply somewhere in what is granted to the caller.
-- Why a definer: guests can't see the ancestors of a granted collection.
create function private.collections_around_granted() returns setof uuid
  language sql stable security definer set search_path = '' rows 20
as $$
  with recursive around (id) as (
    select private.granted_collections()
    union
    select c.parent_id from public.collections c join around a on c.id = a.id where c.parent_id is not null
  )
  select id from around
$$;

create policy "members see fields, guests those of their documents" on public.collection_fields for select to authenticated, api_key
  using (library_id in (select private.library_ids()) or collection_id in (select private.collections_around_granted()));
grant execute on function private.collections_around_granted to authenticated, service_role, api_key;

/* Returns the fields that apply in a collection, also of ancestors hidden from guests. Applies the caller's rights. */
create function public.fields_of(collection uuid) returns setof public.collection_fields
  language sql stable set search_path = '' rows 10
as $$
  select f.* from public.collection_fields f
  where f.collection_id in (select private.collections_around(fields_of.collection))
    and exists (select from public.collections c where c.id = fields_of.collection)
$$;
grant execute on function public.fields_of to authenticated;

create function private.may_edit_collection(collection uuid) returns boolean
  language sql stable set search_path = ''
as $$
  select exists (
    select from public.collections c where c.id = collection
      and (c.library_id in (select private.library_ids('editor')) or c.id in (select private.granted_collections('editor'))))
$$;
grant execute on function private.may_edit_collection to authenticated;

/* Creates a field of a collection, or renames one and replaces its options.

   field    null creates one. kind and takes_several apply only then.
   options  of a choice, in order: [{ id, name, color }]. Options keep their values by id; omitted options are deleted with
            their values.

   Runs as its owner, because limits and order are checked under a lock; so it checks the right itself. */
create function public.save_field(
  collection uuid, field uuid, name text, kind public.field_kind default 'text', takes_several boolean default false,
  options jsonb default '[]'
) returns public.collection_fields
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  place public.collections;
  saved public.collection_fields;
  wanted constant jsonb := coalesce(nullif(save_field.options, 'null'), '[]');
  detail text;
begin
  if not private.may_edit_collection(save_field.collection) then
    perform private.refuse('fields_denied');
  end if;
  -- Serializes inserts.
  select * into place from public.collections c where c.id = save_field.collection for no key update;
  if jsonb_typeof(wanted) <> 'array' or jsonb_array_length(wanted) > 100 then
    perform private.refuse('too_many_options');
  end if;
  if save_field.field is null then
    if (select count(*) from public.collection_fields f where f.collection_id = place.id) >= 30 then
      perform private.refuse('too_many_fields');
    end if;
    insert into public.collection_fields (library_id, collection_id, name, kind, takes_several, position)
      select place.library_id, place.id, trim(save_field.name), save_field.kind, save_field.takes_several,
        coalesce((select max(f.position) from public.collection_fields f where f.collection_id = place.id), 0) + 1
      returning * into saved;
  else
    update public.collection_fields f set name = trim(save_field.name)
      where f.id = save_field.field and f.collection_id = place.id returning * into saved;
    if not found then
      perform private.refuse('field_gone');
    end if;
  end if;
  if saved.kind <> 'choice' and jsonb_array_length(wanted) > 0 then
    perform private.refuse('field_without_options');
  end if;
  delete from public.field_options o
    where o.field_id = saved.id and not exists (
      select from jsonb_array_elements(wanted) as w (option) where w.option ->> 'id' = o.id::text);
  -- Options may swap names, which must stay unique.
  update public.field_options o set name = o.id::text where o.field_id = saved.id;
  insert into public.field_options (id, library_id, field_id, name, color, position)
    select coalesce(o.id, gen_random_uuid()), saved.library_id, saved.id, trim(w.option ->> 'name'),
      coalesce(w.option ->> 'color', 'slate'), w.n
    from jsonb_array_elements(wanted) with ordinality as w (option, n)
      left join public.field_options o on o.field_id = saved.id and o.id::text = w.option ->> 'id'
    on conflict (id) do update set name = excluded.name, color = excluded.color, position = excluded.position;
  return saved;
exception
  when unique_violation then
    perform private.refuse('field_name_taken');
  when not_null_violation or check_violation then
    -- Errors with a code of ours are raised unchanged.
    get stacked diagnostics detail = pg_exception_detail;
    if private.refusal(detail, sqlerrm) is not null then raise; end if;
    perform private.refuse('field_invalid');
end
$$;
grant execute on function public.save_field to authenticated;

-- Orders a collection's fields; fields that aren't listed keep their position.
create function public.order_fields(collection uuid, fields uuid[]) returns void
  language plpgsql set search_path = ''
as $$
begin
  if not private.may_edit_collection(order_fields.collection) then
    perform private.refuse('fields_denied');
  end if;
  update public.collection_fields f set position = o.n
    from unnest(order_fields.fields) with ordinality as o (id, n)
    where f.id = o.id and f.collection_id = order_fields.collection;
end
$$;
grant execute on function public.order_fields to authenticated;

/* Sets a field of at most a thousand documents; null or an empty array clears it.

   value  a text, a number, a date ("2026-03-05"), the id of a member or option; an array of them if the field takes several.

   Runs as its owner, because values can only be written with these checks; so it checks the right to each document itself. */
create function public.set_field_value(documents uuid[], field uuid, value jsonb) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  chosen constant uuid[] := array(select distinct id from unnest(set_field_value.documents) id order by id);
  allowed integer;
begin
  if cardinality(chosen) > 1000 then
    perform private.refuse('too_many_documents_to_set');
  end if;
  perform from public.documents d where d.id = any (chosen)
      and (d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))
    order by d.id for no key update;
  get diagnostics allowed = row_count;
  if allowed < cardinality(chosen) then
    perform private.refuse('documents_denied');
  end if;
  perform private.put_field_value(chosen, field, value);
end
$$;
grant execute on function public.set_field_value to authenticated;

/* The words of a document's fields that apply to it. No row if it has none. */
create table private.field_texts (
  document_id uuid primary key references public.documents on delete cascade,
  library_id uuid not null,
  words text not null
);

create index field_texts_words_idx on private.field_texts using gin (private.title_words(words));

alter table private.field_texts enable row level security;

/* Documents still indexed by their fields' former words. Small changes are followed at commit, large ones in the background. */
create table private.outdated_words (
  document_id uuid primary key references public.documents on delete cascade,
  since timestamptz not null default now()
);

create index outdated_words_since_idx on private.outdated_words (since);

alter table private.outdated_words enable row level security;

/* Updates field texts and marks changed documents for reindexing. At most 4,000 characters, because every passage indexes them. */
create function private.keep_field_texts(documents uuid[]) returns void
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
  perform private.keep_field_texts(array(select distinct c.document_id from changed c where c.kind in ('text', 'choice')));
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
  perform private.keep_field_texts(array(
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
    perform private.keep_field_texts(array[document]);
  end if;
end
$$;

-- Why a definer: users can't write the texts of fields.
create function private.follow_moved_collection() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.keep_field_texts(array(
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
create function private.renew_few_words() returns trigger
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
create constraint trigger renew_few_words after insert on private.outdated_words
  deferrable initially deferred for each row execute function private.renew_few_words();

/* Continues for about `most_time`, skipping locked documents. Returns whether some may be left. */
create function public.renew_waiting_words(most_time interval default '2 seconds') returns boolean
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
grant execute on function public.renew_waiting_words to service_role;
