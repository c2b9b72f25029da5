-- Rules of a library: when a document arrives somewhere and meets conditions, then tag it, move it, set a field, tell people

create table public.rules (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  name text not null check (char_length(trim(name)) between 1 and 100 and name !~ '[[:cntrl:]]'),
  is_on boolean not null default true,
  position double precision not null default 0,
  -- When a document is added, or moved, …
  on_added boolean not null default true,
  on_moved boolean not null default false,
  -- … to this collection, or anywhere in the library. Without a reference: with its collection gone a rule rests, and says why, instead
  -- of holding everywhere. The same is true of all ids in conditions and actions.
  collection_id uuid,
  includes_inside boolean not null default true,
  conditions jsonb not null default '[]',
  actions jsonb not null,
  -- Whoever saved it last. It does what they may do; when they may not edit the library any more it rests.
  maker_id uuid references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (id, library_id),
  check (on_added or on_moved)
);
create unique index rules_name_idx on public.rules (library_id, lower(name));
create index rules_library_id_idx on public.rules (library_id, position);
create index rules_maker_id_idx on public.rules (maker_id);
create trigger touch_updated_at before update on public.rules
  for each row execute function private.touch_updated_at();

/* What a rule did: its latest twenty runs. deeds: [{ do, name, … }] as private.run_rule returns them; problem: why it could not do all. */
create table public.rule_runs (
  id bigint generated always as identity primary key,
  library_id uuid not null,
  rule_id uuid not null,
  document_id uuid not null,
  deeds jsonb not null default '[]',
  problem text,
  created_at timestamptz not null default now(),
  foreign key (rule_id, library_id) references public.rules (id, library_id) on delete cascade,
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);
create index rule_runs_rule_id_idx on public.rule_runs (rule_id, id desc);
create index rule_runs_document_id_idx on public.rule_runs (document_id, library_id);
create index rule_runs_library_id_idx on public.rule_runs (library_id);

alter table public.rules enable row level security;
alter table public.rule_runs enable row level security;
-- save_rule writes the rest.
grant select, delete, update (is_on, position) on public.rules to authenticated;
grant select on public.rule_runs to authenticated;
grant all on public.rules, public.rule_runs to service_role;
create policy "editors see rules" on public.rules for select to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors turn rules on and off" on public.rules for update to authenticated
  using (library_id in (select private.library_ids('editor'))) with check (library_id in (select private.library_ids('editor')));
create policy "editors delete rules" on public.rules for delete to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors see what rules did" on public.rule_runs for select to authenticated
  using (library_id in (select private.library_ids('editor')) and exists (select from public.documents d where d.id = document_id));

/* Why a rule rests, or null: `maker`, `collection`, `tag`, `field`, `option` or `member` is not there any more. */
create function private.rule_problem(rule public.rules) returns text
  language sql stable security definer set search_path = ''
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
      where m.library_id = rule.library_id and m.user_id = rule.maker_id and m.role >= 'editor')
    then 'maker' else (select what from lost limit 1) end
$$;

/* The rules of a library in their order, for those who may edit it, each with the reason why it rests (private.rule_problem). */
create function public.library_rules(library uuid)
  returns table (id uuid, name text, is_on boolean, on_added boolean, on_moved boolean, collection_id uuid, includes_inside boolean,
    conditions jsonb, actions jsonb, maker_id uuid, problem text)
  language sql stable security definer set search_path = ''
as $$
  select r.id, r.name, r.is_on, r.on_added, r.on_moved, r.collection_id, r.includes_inside, r.conditions, r.actions, r.maker_id,
    private.rule_problem(r)
  from public.rules r
  where r.library_id = library_rules.library and library_rules.library in (select private.library_ids('editor'))
  order by r.position, r.created_at
$$;

create function private.is_id(value jsonb) returns boolean
  language sql immutable set search_path = ''
as $$ select coalesce(jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', false) $$;
create function private.is_text(value jsonb, longest integer) returns boolean
  language sql immutable set search_path = ''
as $$ select coalesce(jsonb_typeof(value) = 'string' and char_length(trim(value #>> '{}')) between 1 and longest, false) $$;

-- Whether each is an array of at most fifty ids, and has one.
create function private.are_ids(value jsonb) returns boolean
  language sql immutable set search_path = ''
as $$
  select case when jsonb_typeof(value) = 'array'
    then jsonb_array_length(value) between 1 and 50 and not exists (select from jsonb_array_elements(value) v where not private.is_id(v))
    else false end
$$;

/* The media types, as patterns of LIKE, that a type of file stands for; null for none that there is. Those of a search, too. */
create function private.type_patterns(type text) returns text[]
  language sql immutable set search_path = ''
as $$
  select case type
    when 'pdf' then array['application/pdf'] when 'word' then array['%wordprocessingml%'] when 'book' then array['application/epub%']
    when 'web' then array['text/html%'] when 'markdown' then array['text/markdown%'] when 'text' then array['text/plain%']
    when 'table' then array['text/csv%'] when 'image' then array['image/%'] end
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

/* Makes a rule of a library, or replaces one; whoever saves it is its maker from then on.

   rule  { id, name, is_on, on_added, on_moved, collection_id, includes_inside, conditions, actions }; without an id it is a new one,
         without a collection it holds in the whole library.
   conditions, of which a document meets all, at most ten:
     { on: "kind", value: "file" | "note" | "link" }, { on: "type", value: "pdf" … }, { on: "title" | "address" | "text", value: part of it },
     { on: "added_by", value: person }, { on: "tag", value: tag },
     { on: "field", field, any | words | from, to, above, below | empty } as in documents_with_fields
   actions, one to ten: { do: "tag", tag }, { do: "move", collection }, { do: "set", field, value } with a value of set_field_value,
     { do: "tell", people } or { do: "tell", everybody: true }

   Runs as its owner, because the limit is counted under a lock; so it asks for the right itself. */
create function public.save_rule(library uuid, rule jsonb) returns public.rules
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted public.rules;
  saved public.rules;
  wrong jsonb;
begin
  if save_rule.library not in (select private.library_ids('editor')) then
    raise exception 'You may not change the rules of this library.' using errcode = '42501';
  end if;
  begin
    wanted := jsonb_populate_record(null::public.rules, rule);
  exception when invalid_text_representation or datatype_mismatch then
    raise exception 'This is no rule: %', sqlerrm using errcode = '22023';
  end;
  wanted.conditions := coalesce(nullif(wanted.conditions, 'null'), '[]');
  if jsonb_typeof(wanted.conditions) <> 'array' or jsonb_array_length(wanted.conditions) > 10 then
    raise exception 'A rule has at most 10 conditions.' using errcode = '23514';
  elsif jsonb_typeof(wanted.actions) is distinct from 'array' or jsonb_array_length(wanted.actions) not between 1 and 10 then
    raise exception 'A rule has 1 to 10 actions.' using errcode = '23514';
  end if;
  select c into wrong from jsonb_array_elements(wanted.conditions) c where not private.is_rule_condition(c) limit 1;
  if found then
    raise exception 'A condition of the rule is not complete.' using errcode = '22023', detail = left(wrong::text, 500);
  end if;
  select a into wrong from jsonb_array_elements(wanted.actions) a where not private.is_rule_action(a) limit 1;
  if found then
    raise exception 'An action of the rule is not complete.' using errcode = '22023', detail = left(wrong::text, 500);
  end if;
  -- The lock makes two who add a rule at once wait for each other.
  perform from public.libraries l where l.id = save_rule.library for no key update;
  if wanted.id is null then
    if (select count(*) from public.rules r where r.library_id = save_rule.library) >= 50 then
      raise exception 'A library has at most 50 rules.' using errcode = '23514', hint = 'Delete one that nobody needs.';
    end if;
    insert into public.rules (library_id, name, is_on, on_added, on_moved, collection_id, includes_inside, conditions, actions, maker_id,
        position)
      select save_rule.library, trim(wanted.name), coalesce(wanted.is_on, true), coalesce(wanted.on_added, true),
        coalesce(wanted.on_moved, false), wanted.collection_id, coalesce(wanted.includes_inside, true), wanted.conditions, wanted.actions,
        auth.uid(), coalesce((select max(r.position) from public.rules r where r.library_id = save_rule.library), 0) + 1
      returning * into saved;
  else
    update public.rules r set name = trim(wanted.name), is_on = coalesce(wanted.is_on, r.is_on),
        on_added = coalesce(wanted.on_added, true), on_moved = coalesce(wanted.on_moved, false), collection_id = wanted.collection_id,
        includes_inside = coalesce(wanted.includes_inside, true), conditions = wanted.conditions, actions = wanted.actions,
        maker_id = auth.uid()
      where r.id = wanted.id and r.library_id = save_rule.library returning * into saved;
    if not found then
      raise exception 'The rule is not there any more.' using errcode = '23503', hint = 'Somebody may have deleted it just now.';
    end if;
  end if;
  -- What it names may be another library's, or gone.
  if private.rule_problem(saved) is not null then
    raise exception 'The rule names something that this library does not have.'
      using errcode = '22023', detail = private.rule_problem(saved);
  end if;
  -- Each condition and each value is one of its field's kind.
  select c into wrong from jsonb_array_elements(saved.conditions) c join public.collection_fields f on f.id::text = c ->> 'field'
    where not case
      when c ? 'empty' then true
      when c ? 'any' then f.kind in ('choice', 'person')
      when c ? 'words' then f.kind = 'text'
      else f.kind in ('number', 'date') and not exists (select from jsonb_each(c) b
        where b.key in ('from', 'to', 'above', 'below') and jsonb_typeof(b.value) <> case f.kind when 'number' then 'number' else 'string' end)
      end limit 1;
  if found then
    raise exception 'A condition of the rule is not complete.' using errcode = '22023', detail = left(wrong::text, 500);
  end if;
  perform private.put_field_value('{}', (a ->> 'field')::uuid, a -> 'value') from jsonb_array_elements(saved.actions) a
    where a ->> 'do' = 'set';
  return saved;
exception
  when unique_violation then
    raise exception 'Two rules of a library cannot have the same name.' using errcode = '23505';
  when not_null_violation or check_violation then
    if sqlerrm not like 'new row%' and sqlerrm not like 'null value%' then raise; end if;
    raise exception 'A rule has a name of 1 to 100 characters, and begins when a document is added, or moved, or both.'
      using errcode = '23514';
end
$$;
grant execute on function public.library_rules, public.save_rule to authenticated;
