-- Runs of rules.

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

grant select on public.rule_runs to authenticated;

create policy "editors see what rules did" on public.rule_runs for select to authenticated
  using (library_id in (select private.library_ids('editor')) and exists (select from public.documents d where d.id = document_id));

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
create function private.matches_conditions(document public.documents, conditions jsonb) returns boolean
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

create function private.store_rule_run(rule public.rules, document public.documents, cause uuid, changes jsonb, problem jsonb) returns void
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

create function private.queue_rules(document public.documents, is_new boolean, came_from uuid default null) returns void
  language plpgsql set search_path = ''
as $$
begin
  if private.running_rule() is not null
    or not exists (select from public.rules r where r.library_id = document.library_id and r.is_on) then return; end if;
  insert into private.arrivals as a (document_id, is_new, place, came_from, cause)
    values (document.id, queue_rules.is_new, document.collection_id, queue_rules.came_from,
      coalesce(auth.uid(), case when queue_rules.is_new then document.created_by end))
  on conflict on constraint arrivals_pkey do update set
    place = excluded.place, came_from = excluded.came_from, cause = excluded.cause, ran = '{}', is_read = false, arrived_at = now();
end
$$;

create function private.mark_arrival_read(document uuid) returns void
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
        continue when not private.matches_conditions(document, rule.conditions);
        arrival.ran := arrival.ran || rule.id;
        changes := private.run_rule(rule, document.id, arrival.cause);
        perform private.store_rule_run(rule, document, arrival.cause, changes, null);
      exception when others then
        perform set_config('carrel.running_rule', '', true);
        get stacked diagnostics detail = pg_exception_detail;
        perform private.store_rule_run(rule, document, arrival.cause, '[]',
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
      and (target.collection_id is null or d.collection_id = any (places)) and private.matches_conditions(d, target.conditions)
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
    continue when not private.matches_conditions(chosen, target.conditions)
      or not (target.collection_id is null or private.rule_covers(target, chosen.collection_id));
    begin
      document_id := chosen.id;
      problem := null;
      changes := private.run_rule(target, chosen.id, auth.uid(), false);
      perform private.store_rule_run(target, chosen, auth.uid(), changes, null);
    exception when others then
      perform set_config('carrel.running_rule', '', true);
      changes := '[]';
      get stacked diagnostics detail = pg_exception_detail;
      problem := coalesce(private.refusal(detail, sqlerrm), jsonb_build_object('message', sqlerrm));
      perform private.store_rule_run(target, chosen, auth.uid(), changes, problem);
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
