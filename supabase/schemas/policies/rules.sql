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

-- save_rule writes the rest.
grant select, delete, update (is_on, position) on public.rules to authenticated;

create policy "editors see rules" on public.rules for select to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors turn rules on and off" on public.rules for update to authenticated
  using (library_id in (select private.library_ids('editor'))) with check (library_id in (select private.library_ids('editor')));
create policy "editors delete rules" on public.rules for delete to authenticated
  using (library_id in (select private.library_ids('editor')));
create trigger touch_updated_at before update on public.rules
  for each row execute function private.touch_updated_at();

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
