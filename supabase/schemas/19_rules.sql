-- A library's rules: when a document arrives somewhere and meets conditions, tag it, move it, set a field, or notify people.

create table public.rules (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  name text not null check (char_length(trim(name)) between 1 and 100 and name !~ '[[:cntrl:]]'),
  is_on boolean not null default true,
  position double precision not null default 0,
  -- When a document is added, or moved, …
  on_added boolean not null default true,
  on_moved boolean not null default false,
  -- … to this collection, or anywhere. Not a foreign key: a rule whose collection (or another id in it) is missing pauses and says why,
  -- instead of applying everywhere.
  collection_id uuid,
  includes_inside boolean not null default true,
  conditions jsonb not null default '[]',
  actions jsonb not null,
  -- Who saved it last. The rule acts with this person's rights and pauses when they can no longer edit the library.
  owner_id uuid references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (id, library_id),
  check (on_added or on_moved)
);

create unique index rules_name_idx on public.rules (library_id, lower(name));
create index rules_library_id_idx on public.rules (library_id, position);
create index rules_owner_id_idx on public.rules (owner_id);

alter table public.rules enable row level security;
-- save_rule writes the rest.
grant select, delete, update (is_on, position) on public.rules to authenticated;
grant all on public.rules to service_role;

create policy "editors see rules" on public.rules for select to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors turn rules on and off" on public.rules for update to authenticated
  using (library_id in (select private.library_ids('editor'))) with check (library_id in (select private.library_ids('editor')));
create policy "editors delete rules" on public.rules for delete to authenticated
  using (library_id in (select private.library_ids('editor')));
create trigger touch_updated_at before update on public.rules
  for each row execute function private.touch_updated_at();

/* A rule's latest twenty runs. changes: see private.run_rule; problem: why it couldn't do everything, possibly without a code. */
create table public.rule_runs (
  id bigint generated always as identity primary key,
  library_id uuid not null,
  rule_id uuid not null,
  document_id uuid not null,
  changes jsonb not null default '[]',
  problem jsonb,
  created_at timestamptz not null default now(),
  foreign key (rule_id, library_id) references public.rules (id, library_id) on delete cascade,
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);

create index rule_runs_rule_id_idx on public.rule_runs (rule_id, id desc);
create index rule_runs_document_id_idx on public.rule_runs (document_id, library_id);
create index rule_runs_library_id_idx on public.rule_runs (library_id);

alter table public.rule_runs enable row level security;
grant select on public.rule_runs to authenticated;
grant all on public.rule_runs to service_role;

create policy "editors see what rules did" on public.rule_runs for select to authenticated
  using (library_id in (select private.library_ids('editor')) and exists (select from public.documents d where d.id = document_id));

/* Returns why a rule is paused, or null: `owner`, `collection`, `tag`, `field`, `option` or `member` is missing. */
create function private.rule_problem(rule public.rules) returns text
  language sql stable set search_path = ''
as $$
  with named as (
    select 'collection' as what, rule.collection_id::text as id, null as field where rule.collection_id is not null
    union all
    select case c ->> 'on' when 'tag' then 'tag' when 'added_by' then 'member' when 'field' then 'field' end,
      coalesce(c ->> 'field', c ->> 'value'), null
      from jsonb_array_elements(rule.conditions) c where c ->> 'on' in ('tag', 'added_by', 'field')
    union all
    select 'value', v.chosen, c ->> 'field'
      from jsonb_array_elements(rule.conditions) c, jsonb_array_elements_text(c -> 'any') as v (chosen) where c ? 'any'
    union all
    select case a ->> 'do' when 'tag' then 'tag' when 'move' then 'collection' else 'field' end,
      coalesce(a ->> 'tag', a ->> 'collection', a ->> 'field'), null
      from jsonb_array_elements(rule.actions) a where a ->> 'do' in ('tag', 'move', 'set')
    union all
    select 'value', v.chosen, a ->> 'field'
      from jsonb_array_elements(rule.actions) a, jsonb_array_elements_text(
        case jsonb_typeof(a -> 'value') when 'array' then a -> 'value' when 'string' then jsonb_build_array(a -> 'value') else '[]' end) as v (chosen)
      where a ->> 'do' = 'set'
    union all
    select 'member', person, null from jsonb_array_elements(rule.actions) a, jsonb_array_elements_text(a -> 'people') person
      where a ->> 'do' = 'tell' and a ? 'people'
  ), lost as (
    select case n.what when 'value' then case f.kind when 'choice' then 'option' else 'member' end else n.what end as what
    from named n left join public.collection_fields f on f.id::text = n.field and f.library_id = rule.library_id
    where case n.what
      when 'collection' then not exists (select from public.collections c where c.id::text = n.id and c.library_id = rule.library_id)
      when 'tag' then not exists (select from public.tags t where t.id::text = n.id and t.library_id = rule.library_id)
      when 'field' then not exists (select from public.collection_fields c where c.id::text = n.id and c.library_id = rule.library_id)
      when 'member' then not exists (select from public.members m where m.user_id::text = n.id and m.library_id = rule.library_id)
      when 'value' then case f.kind
        when 'choice' then not exists (select from public.field_options o where o.id::text = n.id and o.field_id = f.id)
        when 'person' then not exists (select from public.members m where m.user_id::text = n.id and m.library_id = rule.library_id)
        else false end
      end
  )
  select case when not exists (
      select from public.members m
      where m.library_id = rule.library_id and m.user_id = rule.owner_id and m.role >= 'editor')
    then 'owner' else (select what from lost limit 1) end
$$;

/* Returns a library's rules in order, for its editors, each with the reason why it's paused (private.rule_problem).
   Why a definer: under policies each rule would query five tables, which takes ten times as long. */
create function public.library_rules(library uuid)
  returns table (id uuid, name text, is_on boolean, on_added boolean, on_moved boolean, collection_id uuid, includes_inside boolean,
    conditions jsonb, actions jsonb, owner_id uuid, problem text)
  language sql stable security definer set search_path = ''
as $$
  select r.id, r.name, r.is_on, r.on_added, r.on_moved, r.collection_id, r.includes_inside, r.conditions, r.actions, r.owner_id,
    private.rule_problem(r)
  from public.rules r
  where r.library_id = library_rules.library and library_rules.library in (select private.library_ids('editor'))
  order by r.position, r.created_at
$$;
grant execute on function public.library_rules to authenticated;

create function private.is_id(value jsonb) returns boolean
  language sql immutable set search_path = ''
as $$ select coalesce(jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', false) $$;

create function private.is_text(value jsonb, longest integer) returns boolean
  language sql immutable set search_path = ''
as $$ select coalesce(jsonb_typeof(value) = 'string' and char_length(trim(value #>> '{}')) between 1 and longest, false) $$;

-- Whether each value is an array of 1 to 50 ids.
create function private.are_ids(value jsonb) returns boolean
  language sql immutable set search_path = ''
as $$
  select case when jsonb_typeof(value) = 'array'
    then jsonb_array_length(value) between 1 and 50 and not exists (select from jsonb_array_elements(value) v where not private.is_id(v))
    else false end
$$;

/* Returns the media types of a file type as LIKE patterns; null for an unknown type. Also used by search. */
create function private.type_patterns(type text) returns text[]
  language sql immutable set search_path = ''
as $$
  select case type
    when 'pdf' then array['application/pdf%']
    when 'word' then array['application/vnd.openxmlformats-officedocument.wordprocessingml.document%', 'application/msword%']
    when 'document' then array['application/vnd.oasis.opendocument.text%', 'application/rtf%']
    when 'presentation' then array['application/vnd.openxmlformats-officedocument.presentationml.presentation%',
      'application/vnd.oasis.opendocument.presentation%', 'application/vnd.ms-powerpoint%']
    when 'spreadsheet' then array['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet%',
      'application/vnd.oasis.opendocument.spreadsheet%', 'application/vnd.ms-excel%']
    when 'book' then array['application/epub+zip%']
    when 'mail' then array['message/rfc822%']
    when 'web' then array['multipart/related%', 'text/html%']
    when 'markdown' then array['text/markdown%']
    when 'text' then array['text/plain%']
    when 'table' then array['text/csv%']
    when 'image' then array['image/png%', 'image/jpeg%', 'image/webp%', 'image/gif%', 'image/avif%', 'image/tiff%', 'image/heic%']
    when 'video' then array['video/mp4%', 'video/webm%']
    when 'audio' then array['audio/mpeg%', 'audio/mp4%', 'audio/ogg%', 'audio/wav%', 'audio/flac%']
    when 'other' then array['application/octet-stream%'] end
$$;

create function private.is_rule_condition(condition jsonb) returns boolean
  language sql immutable set search_path = ''
as $$
  select coalesce(case condition ->> 'on'
    when 'kind' then condition ->> 'value' in ('file', 'note', 'link')
    when 'type' then private.type_patterns(condition ->> 'value') is not null
    when 'title' then private.is_text(condition -> 'value', 300)
    when 'address' then private.is_text(condition -> 'value', 300)
    when 'text' then private.is_text(condition -> 'value', 300)
    when 'added_by' then private.is_id(condition -> 'value')
    when 'tag' then private.is_id(condition -> 'value')
    when 'field' then private.is_id(condition -> 'field') and case
      when condition ? 'any' then private.are_ids(condition -> 'any')
      when condition ? 'words' then private.is_text(condition -> 'words', 300)
      when condition ? 'empty' then condition -> 'empty' = 'true'
      else (select bool_and(case jsonb_typeof(b.value) when 'number' then true
          when 'string' then b.value #>> '{}' ~ '^\d{4}-\d\d-\d\d$' and pg_input_is_valid(b.value #>> '{}', 'date') end)
        from jsonb_each(condition) b where b.key in ('from', 'to', 'above', 'below')) end
    end, false) and octet_length(condition::text) <= 4000
$$;

create function private.is_rule_action(action jsonb) returns boolean
  language sql immutable set search_path = ''
as $$
  select coalesce(case action ->> 'do'
    when 'tag' then private.is_id(action -> 'tag')
    when 'move' then private.is_id(action -> 'collection')
    when 'set' then private.is_id(action -> 'field') and action ? 'value'
    when 'tell' then action -> 'everybody' = 'true' or private.are_ids(action -> 'people')
    end, false) and octet_length(action::text) <= 9000
$$;

/* Creates or replaces a rule of a library. The caller becomes its owner.

   rule  { id, name, is_on, on_added, on_moved, collection_id, includes_inside, conditions, actions }; without an id it is
         new, without a collection it applies to the whole library.
   conditions, at most ten, all of which must be met:
     { on: "kind", value: "file" | "note" | "link" }, { on: "type", value: "pdf" … },
     { on: "title" | "address" | "text", value: part of it }, { on: "added_by", value: person }, { on: "tag", value: tag },
     { on: "field", field, any | words | from, to, above, below | empty } as in documents_with_fields
   actions, one to ten: { do: "tag", tag }, { do: "move", collection }, { do: "set", field, value } with a value of
     set_field_value, { do: "tell", people } or { do: "tell", everybody: true }

   Runs as its owner, because the limit is checked under a lock; so it checks the right itself. */
create function public.save_rule(library uuid, rule jsonb) returns public.rules
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted public.rules;
  saved public.rules;
  wrong jsonb;
  detail text;
begin
  if save_rule.library not in (select private.library_ids('editor')) then
    perform private.refuse('rules_denied');
  end if;
  begin
    wanted := jsonb_populate_record(null::public.rules, rule);
  exception when invalid_text_representation or datatype_mismatch then
    perform private.refuse('rule_unreadable', jsonb_build_object('reason', sqlerrm));
  end;
  wanted.conditions := coalesce(nullif(wanted.conditions, 'null'), '[]');
  if jsonb_typeof(wanted.conditions) <> 'array' or jsonb_array_length(wanted.conditions) > 10 then
    perform private.refuse('too_many_conditions');
  elsif jsonb_typeof(wanted.actions) is distinct from 'array' or jsonb_array_length(wanted.actions) not between 1 and 10 then
    perform private.refuse('actions_count_invalid');
  end if;
  select c into wrong from jsonb_array_elements(wanted.conditions) c where not private.is_rule_condition(c) limit 1;
  if found then
    perform private.refuse('condition_incomplete', jsonb_build_object('condition', left(wrong::text, 500)));
  end if;
  select a into wrong from jsonb_array_elements(wanted.actions) a where not private.is_rule_action(a) limit 1;
  if found then
    perform private.refuse('action_incomplete', jsonb_build_object('action', left(wrong::text, 500)));
  end if;
  -- Serializes inserts, so that the limit holds.
  perform from public.libraries l where l.id = save_rule.library for no key update;
  if wanted.id is null then
    if (select count(*) from public.rules r where r.library_id = save_rule.library) >= 50 then
      perform private.refuse('too_many_rules');
    end if;
    insert into public.rules (library_id, name, is_on, on_added, on_moved, collection_id, includes_inside, conditions, actions, owner_id,
        position)
      select save_rule.library, trim(wanted.name), coalesce(wanted.is_on, true), coalesce(wanted.on_added, true),
        coalesce(wanted.on_moved, false), wanted.collection_id, coalesce(wanted.includes_inside, true), wanted.conditions, wanted.actions,
        auth.uid(), coalesce((select max(r.position) from public.rules r where r.library_id = save_rule.library), 0) + 1
      returning * into saved;
  else
    update public.rules r set name = trim(wanted.name), is_on = coalesce(wanted.is_on, r.is_on),
        on_added = coalesce(wanted.on_added, true), on_moved = coalesce(wanted.on_moved, false), collection_id = wanted.collection_id,
        includes_inside = coalesce(wanted.includes_inside, true), conditions = wanted.conditions, actions = wanted.actions,
        owner_id = auth.uid()
      where r.id = wanted.id and r.library_id = save_rule.library returning * into saved;
    if not found then
      perform private.refuse('rule_gone');
    end if;
  end if;
  -- Referenced ids may be missing or belong to another library.
  if private.rule_problem(saved) is not null then
    perform private.refuse('rule_names_missing', jsonb_build_object('missing', private.rule_problem(saved)));
  end if;
  -- Conditions and values must match their field's kind.
  select c into wrong from jsonb_array_elements(saved.conditions) c join public.collection_fields f on f.id::text = c ->> 'field'
    where not case
      when c ? 'empty' then true
      when c ? 'any' then f.kind in ('choice', 'person')
      when c ? 'words' then f.kind = 'text'
      else f.kind in ('number', 'date') and not exists (select from jsonb_each(c) b
        where b.key in ('from', 'to', 'above', 'below') and jsonb_typeof(b.value) <> case f.kind when 'number' then 'number' else 'string' end)
      end limit 1;
  if found then
    perform private.refuse('condition_incomplete', jsonb_build_object('condition', left(wrong::text, 500)));
  end if;
  perform private.put_field_value('{}', (a ->> 'field')::uuid, a -> 'value') from jsonb_array_elements(saved.actions) a
    where a ->> 'do' = 'set';
  return saved;
exception
  when unique_violation then
    perform private.refuse('rule_name_taken');
  when not_null_violation or check_violation then
    -- Errors with a code of ours are raised unchanged.
    get stacked diagnostics detail = pg_exception_detail;
    if private.refusal(detail, sqlerrm) is not null then raise; end if;
    perform private.refuse('rule_invalid');
end
$$;
grant execute on function public.save_rule to authenticated;

-- The part of set_field_value after its check of rights.
create function private.put_field_value(documents uuid[], field uuid, value jsonb) returns void
  language plpgsql set search_path = ''
as $$
declare
  target public.collection_fields;
  chosen constant uuid[] := array(select distinct id from unnest(put_field_value.documents) id order by id);
  items constant jsonb := case when coalesce(jsonb_typeof(value), 'null') = 'null' then '[]'
    when jsonb_typeof(value) = 'array' then value else jsonb_build_array(value) end;
begin
  -- Keeps it from being deleted in the meantime.
  select * into target from public.collection_fields f where f.id = field for share;
  if not found then
    perform private.refuse('field_gone');
  end if;
  if exists (
    select from public.documents d where d.id = any (chosen)
      and (d.collection_id is null or d.collection_id not in (select private.collections_within(target.collection_id)))
  ) then
    perform private.refuse('field_of_another_collection', jsonb_build_object('field', target.name));
  end if;

  if jsonb_array_length(items) > 1 and not target.takes_several then
    perform private.refuse('field_takes_one', jsonb_build_object('field', target.name));
  elsif jsonb_array_length(items) > 50 then
    perform private.refuse('too_many_field_values', jsonb_build_object('field', target.name));
  elsif exists (
    select from jsonb_array_elements(items) item, lateral (select item #>> '{}' as words) w
    where jsonb_typeof(item) <> case target.kind when 'number' then 'number' else 'string' end
      or case target.kind
        when 'text' then char_length(trim(words)) not between 1 and 2000
        when 'number' then abs(words::numeric) > 1e15
        when 'date' then words !~ '^\d{4}-\d\d-\d\d$' or not pg_input_is_valid(words, 'date')
        when 'person' then not exists (
          select from public.members m where m.library_id = target.library_id and m.user_id::text = words)
        when 'choice' then not exists (select from public.field_options o where o.field_id = target.id and o.id::text = words)
      end
  ) then
    case target.kind
      when 'text' then
        perform private.refuse('field_takes_text', jsonb_build_object('field', target.name));
      when 'number' then
        perform private.refuse('field_takes_number', jsonb_build_object('field', target.name));
      when 'date' then
        perform private.refuse('field_takes_date', jsonb_build_object('field', target.name));
      when 'person' then
        perform private.refuse('field_takes_people', jsonb_build_object('field', target.name));
      when 'choice' then
        perform private.refuse('field_takes_options', jsonb_build_object('field', target.name));
    end case;
  end if;

  delete from public.field_values v where v.field_id = target.id and v.document_id = any (chosen);
  insert into public.field_values (library_id, document_id, field_id, kind, takes_several,
      text_value, number_value, date_value, person_id, option_id)
    select target.library_id, id, target.id, target.kind, target.takes_several,
      case target.kind when 'text' then trim(words) end, case target.kind when 'number' then words::double precision end,
      case target.kind when 'date' then words::date end, case target.kind when 'person' then words::uuid end,
      case target.kind when 'choice' then words::uuid end
    from unnest(chosen) id, (select distinct item #>> '{}' as words from jsonb_array_elements(items) item) i;
end
$$;

-- Returns a document's values of a field in the form of set_field_value; null if there are none.
create function private.field_value(document uuid, field uuid) returns jsonb
  language sql stable set search_path = ''
as $$
  select case when f.takes_several then jsonb_agg(v.value order by v.value) else min(v.value::text)::jsonb end
  from public.collection_fields f, lateral (
    select coalesce(to_jsonb(v.text_value), to_jsonb(v.number_value), to_jsonb(v.date_value), to_jsonb(v.person_id), to_jsonb(v.option_id)) as value
    from public.field_values v where v.document_id = field_value.document and v.field_id = f.id) v
  where f.id = field_value.field group by f.id, f.takes_several
$$;

-- Whether a field that applies to the document meets a condition (see save_rule).
create function private.field_meets(document public.documents, condition jsonb) returns boolean
  language sql stable set search_path = ''
as $$
  select case when condition -> 'empty' = 'true'
    then not exists (select from public.field_values v where v.document_id = document.id and v.field_id = f.id)
    else exists (
      select from public.field_values v
      where v.document_id = document.id and v.field_id = f.id and case v.kind
        when 'text' then private.title_words(v.text_value) @@ private.title_query(condition ->> 'words')
        when 'number' then condition ?| array['from', 'to', 'above', 'below']
          and v.number_value between coalesce((condition -> 'from')::double precision, '-Infinity')
            and coalesce((condition -> 'to')::double precision, 'Infinity')
          and v.number_value > coalesce((condition -> 'above')::double precision, '-Infinity')
          and v.number_value < coalesce((condition -> 'below')::double precision, 'Infinity')
        when 'date' then condition ?| array['from', 'to', 'above', 'below']
          and v.date_value between coalesce((condition ->> 'from')::date, '-infinity') and coalesce((condition ->> 'to')::date, 'infinity')
          and v.date_value > coalesce((condition ->> 'above')::date, '-infinity')
          and v.date_value < coalesce((condition ->> 'below')::date, 'infinity')
        else condition -> 'any' ? coalesce(v.option_id, v.person_id)::text end)
    end
  from public.collection_fields f
  where f.id::text = condition ->> 'field' and f.collection_id in (select private.collections_around(document.collection_id))
$$;

/* Whether a text contains these words in sequence, ignoring case and line breaks. Joins passages only if none has them all and one has the
   longest word. */
create function private.text_contains(document uuid, words text) returns boolean
  language plpgsql stable set search_path = ''
as $$
declare
  sought constant text := lower(regexp_replace(trim(words), '\s+', ' ', 'g'));
  longest constant text := (select word from string_to_table(sought, ' ') word order by char_length(word) desc limit 1);
  has_longest boolean;
  has_all boolean;
begin
  select bool_or(strpos(lower(p.content), longest) > 0), bool_or(strpos(lower(p.content), sought) > 0) into has_longest, has_all
    from public.passages p where p.document_id = document;
  if has_all or has_longest is not true then return coalesce(has_all, false); end if;
  return (
    select strpos(lower(regexp_replace(string_agg(p.content, ' ' order by p.ordinal), '\s+', ' ', 'g')), sought) > 0
    from public.passages p where p.document_id = document);
end
$$;

/* Whether a document meets all conditions of a rule (see save_rule). Checks its text last, and only once it has been read. */
create function private.meets(document public.documents, conditions jsonb) returns boolean
  language plpgsql stable set search_path = ''
as $$
declare
  condition jsonb;
  wanted text;
begin
  for condition in select c from jsonb_array_elements(conditions) c order by c ->> 'on' = 'text' loop
    wanted := condition ->> 'value';
    if not coalesce(case condition ->> 'on'
      when 'kind' then document.kind::text = wanted
      when 'type' then document.mime_type like any (private.type_patterns(wanted))
      when 'title' then strpos(lower(document.title), lower(trim(wanted))) > 0
      when 'address' then strpos(lower(document.url), lower(trim(wanted))) > 0
      when 'added_by' then document.created_by::text = wanted
      when 'tag' then exists (
        select from public.document_tags t where t.document_id = document.id and t.tag_id::text = wanted)
      when 'field' then private.field_meets(document, condition)
      when 'text' then document.state = 'ready' and private.text_contains(document.id, wanted)
    end, false) then return false; end if;
  end loop;
  return true;
end
$$;

-- Whether a rule covers a collection (null: outside all collections).
create function private.rule_covers(rule public.rules, place uuid) returns boolean
  language sql stable set search_path = ''
as $$
  select rule.collection_id is null or rule.collection_id is not distinct from place
    or (rule.includes_inside and rule.collection_id in (select private.collections_around(place)))
$$;

/* Applies a rule to a document with its owner's rights. Returns the changes with the previous values: { do: "tag", tag, name }, { do:
   "move", collection, name, from }, { do: "set", field, name, before }, { do: "tell", count }.

   cause: the person who added or moved the document, who isn't notified. tells: false notifies no one. */
create function private.run_rule(rule public.rules, document uuid, cause uuid, tells boolean default true) returns jsonb
  language plpgsql set search_path = ''
as $$
declare
  action jsonb;
  changes jsonb := '[]';
  named text;
  before jsonb;
  count integer;
begin
  -- A rule's changes trigger no rules and are logged as the rule's.
  perform set_config('carrel.running_rule', rule.id::text, true);
  -- Notify last, when the document is in its final place.
  for action in select a from jsonb_array_elements(rule.actions) with ordinality as t (a, n) order by a ->> 'do' = 'tell', n loop
    case action ->> 'do'
    when 'tag' then
      insert into public.document_tags (library_id, document_id, tag_id)
        values (rule.library_id, document, (action ->> 'tag')::uuid) on conflict do nothing;
      if found then
        select t.name into named from public.tags t where t.id = (action ->> 'tag')::uuid;
        changes := changes || jsonb_build_object('do', 'tag', 'tag', action -> 'tag', 'name', named);
      end if;
    when 'move' then
      select to_jsonb(d.collection_id) into before from public.documents d where d.id = document;
      update public.documents d set collection_id = (action ->> 'collection')::uuid
        where d.id = document and d.collection_id is distinct from (action ->> 'collection')::uuid;
      if found then
        select c.name into named from public.collections c where c.id = (action ->> 'collection')::uuid;
        changes := changes || jsonb_build_object('do', 'move', 'collection', action -> 'collection', 'name', named, 'from', before);
      end if;
    when 'set' then
      before := private.field_value(document, (action ->> 'field')::uuid);
      perform private.put_field_value(array[document], (action ->> 'field')::uuid, action -> 'value');
      if private.field_value(document, (action ->> 'field')::uuid) is distinct from before then
        select f.name into named from public.collection_fields f where f.id = (action ->> 'field')::uuid;
        changes := changes || jsonb_build_object('do', 'set', 'field', action -> 'field', 'name', named, 'before', before);
      end if;
    else
      if tells then
        insert into public.notifications (user_id, kind, library_id, document_id, actor_id, rule)
          select a.user_id, 'rule', rule.library_id, document, cause, rule.name from public.document_audience(document) a
          where a.user_id is distinct from cause and (action -> 'everybody' = 'true' or action -> 'people' ? a.user_id::text);
        get diagnostics count = row_count;
        if count > 0 then changes := changes || jsonb_build_object('do', 'tell', 'count', count); end if;
      end if;
    end case;
  end loop;
  perform set_config('carrel.running_rule', '', true);
  return changes;
end
$$;

-- Returns the rule running in this transaction, or null.
create function private.running_rule() returns text
  language sql stable set search_path = ''
as $$ select nullif(current_setting('carrel.running_rule', true), '') $$;

create function private.keep_rule_run(rule public.rules, document public.documents, cause uuid, changes jsonb, problem jsonb) returns void
  language plpgsql set search_path = ''
as $$
begin
  insert into public.rule_runs (library_id, rule_id, document_id, changes, problem)
    values (rule.library_id, rule.id, document.id, changes, problem);
  -- Skip rows that another transaction is deleting.
  delete from public.rule_runs r where r.id in (
    select o.id from public.rule_runs o where o.rule_id = rule.id order by o.id desc offset 20 for update skip locked);
  if changes <> '[]' then
    insert into public.activity (library_id, actor_id, verb, document_id, subject)
      select rule.library_id, (select p.id from public.profiles p where p.id = cause), 'document.ran_rule', document.id,
        jsonb_build_object('rule', rule.name, 'title', document.title, 'changes', (
          select jsonb_agg(d - array['from', 'before', 'tag', 'collection', 'field']) from jsonb_array_elements(changes) d));
  end if;
end
$$;

/* Arrived documents on which rules still have to run, once each: at commit, or once the document's text, type and title are known. */
create table private.arrivals (
  document_id uuid not null references public.documents on delete cascade,
  is_new boolean not null, -- otherwise moved
  place uuid, -- the collection in which it arrived
  came_from uuid,
  cause uuid,
  ran uuid[] not null default '{}',
  is_read boolean not null default false,
  arrived_at timestamptz not null default now(),
  primary key (document_id, is_new)
);
alter table private.arrivals enable row level security;

create function private.note_arrival(document public.documents, is_new boolean, came_from uuid default null) returns void
  language plpgsql set search_path = ''
as $$
begin
  if private.running_rule() is not null
    or not exists (select from public.rules r where r.library_id = document.library_id and r.is_on) then return; end if;
  insert into private.arrivals as a (document_id, is_new, place, came_from, cause)
    values (document.id, note_arrival.is_new, document.collection_id, note_arrival.came_from,
      coalesce(auth.uid(), case when note_arrival.is_new then document.created_by end))
  on conflict on constraint arrivals_pkey do update set
    place = excluded.place, came_from = excluded.came_from, cause = excluded.cause, ran = '{}', is_read = false, arrived_at = now();
end
$$;

create function private.note_read(document uuid) returns void
  language sql set search_path = ''
as $$ update private.arrivals a set is_read = true where a.document_id = document $$;

/* Runs a library's rules on an arrived document. A failing rule changes nothing, and its runs say why; the document arrives anyway.
   Why a definer: it runs at the commit of any user and acts with the rules' owners' rights. */
create function private.try_rules() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  arrival private.arrivals;
  document public.documents;
  rule public.rules;
  changes jsonb;
  detail text;
begin
  select * into arrival from private.arrivals a where a.document_id = new.document_id and a.is_new = new.is_new for update;
  if not found then return null; end if; -- already handled
  select * into document from public.documents d where d.id = arrival.document_id and d.deleted_at is null;
  if found then
    for rule in
      select r.* from public.rules r
      where r.library_id = document.library_id and r.is_on and case when arrival.is_new then r.on_added else r.on_moved end
        and r.id <> all (arrival.ran) and private.rule_covers(r, arrival.place)
        -- Moving between covered collections is no arrival.
        and (arrival.is_new or r.collection_id is null or not private.rule_covers(r, arrival.came_from))
      order by r.position, r.created_at
    loop
      begin
        continue when private.rule_problem(rule) is not null;
        -- As changed by the previous rules.
        select * into document from public.documents d where d.id = arrival.document_id;
        continue when not private.meets(document, rule.conditions);
        arrival.ran := arrival.ran || rule.id;
        changes := private.run_rule(rule, document.id, arrival.cause);
        perform private.keep_rule_run(rule, document, arrival.cause, changes, null);
      exception when others then
        perform set_config('carrel.running_rule', '', true);
        get stacked diagnostics detail = pg_exception_detail;
        perform private.keep_rule_run(rule, document, arrival.cause, '[]',
          coalesce(private.refusal(detail, sqlerrm), jsonb_build_object('message', sqlerrm)));
      end;
    end loop;
  end if;
  if document.id is null or document.state = 'ready' then
    delete from private.arrivals a where a.document_id = arrival.document_id and a.is_new = arrival.is_new;
  else
    update private.arrivals a set ran = arrival.ran where a.document_id = arrival.document_id and a.is_new = arrival.is_new;
  end if;
  return null;
end
$$;
create constraint trigger try_added after insert on private.arrivals
  deferrable initially deferred for each row execute function private.try_rules();
create constraint trigger try_again after update of place, is_read on private.arrivals
  deferrable initially deferred for each row execute function private.try_rules();

-- Returns a rule that the caller may apply, or raises an error.
create function private.rule_to_apply(rule uuid) returns public.rules
  language plpgsql stable set search_path = ''
as $$
declare
  target public.rules;
begin
  select * into target from public.rules r where r.id = rule and r.library_id in (select private.library_ids('editor'));
  if not found then
    perform private.refuse('rule_denied');
  elsif private.rule_problem(target) is not null then
    perform private.refuse('rule_rests', jsonb_build_object('missing', private.rule_problem(target)));
  end if;
  return target;
end
$$;

/* Returns the existing documents that match a rule: { total, documents, shown }, all ids, and the newest fifty as { id, title, kind,
   mime_type, collection_id }.
   Why a definer: under policies each document's text would be checked on its own, which takes four times as long. */
create function public.try_rule(rule uuid) returns jsonb
  language plpgsql stable security definer set search_path = ''
as $$
declare
  target constant public.rules := private.rule_to_apply(try_rule.rule);
  places constant uuid[] := array(
    select p from private.collections_within(target.collection_id) p where target.includes_inside or p = target.collection_id);
  found uuid[];
begin
  found := array(
    select d.id from public.documents d
    where d.library_id = target.library_id and d.deleted_at is null
      and (target.collection_id is null or d.collection_id = any (places)) and private.meets(d, target.conditions)
    order by d.created_at desc, d.id);
  return jsonb_build_object('total', cardinality(found), 'documents', to_jsonb(found), 'shown', (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'title', d.title, 'kind', d.kind, 'mime_type', d.mime_type,
      'collection_id', d.collection_id) order by n), '[]')
    from unnest(found[:50]) with ordinality as f (id, n) join public.documents d on d.id = f.id));
end
$$;
grant execute on function public.try_rule to authenticated;

/* Applies a rule to at most five hundred documents that try_rule finds, without notifications. Returns private.run_rule's changes, for
   undo; a document that fails has `problem` instead and stays unchanged.
   Why a definer: users can't write rule runs, and fields are set with the owner's rights. */
create function public.apply_rule(rule uuid, documents uuid[]) returns table (document_id uuid, changes jsonb, problem jsonb)
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  target constant public.rules := private.rule_to_apply(apply_rule.rule);
  chosen public.documents;
  detail text;
begin
  if cardinality(apply_rule.documents) > 500 then
    perform private.refuse('too_many_documents_for_rule');
  end if;
  for chosen in
    select d.* from public.documents d
    where d.id = any (apply_rule.documents) and d.library_id = target.library_id and d.deleted_at is null
    order by d.id for no key update
  loop
    continue when not private.meets(chosen, target.conditions)
      or not (target.collection_id is null or private.rule_covers(target, chosen.collection_id));
    begin
      document_id := chosen.id;
      problem := null;
      changes := private.run_rule(target, chosen.id, auth.uid(), false);
      perform private.keep_rule_run(target, chosen, auth.uid(), changes, null);
    exception when others then
      perform set_config('carrel.running_rule', '', true);
      changes := '[]';
      get stacked diagnostics detail = pg_exception_detail;
      problem := coalesce(private.refusal(detail, sqlerrm), jsonb_build_object('message', sqlerrm));
      perform private.keep_rule_run(target, chosen, auth.uid(), changes, problem);
    end;
    return next;
  end loop;
end
$$;
grant execute on function public.apply_rule to authenticated;

-- Deletes arrivals of documents that are never read.
create function private.purge_arrivals() returns void
  language sql set search_path = ''
as $$ delete from private.arrivals a where a.arrived_at < now() - interval '30 days' $$;
