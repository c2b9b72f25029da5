-- A retention rule keeps a document wherever it goes. Only an owner ends that: by ending or shortening the rule.

/* The rules whose places a document has left, by a move of its own or of a collection around it. They keep it as long as they are on. */
create table private.kept_documents (
  document_id uuid not null references public.documents on delete cascade,
  rule_id uuid not null references public.retention_rules on delete cascade,
  primary key (document_id, rule_id)
);
create index kept_documents_rule_id_idx on private.kept_documents (rule_id);
alter table private.kept_documents enable row level security;

/* Until when rules keep a document: that of its place, and those of places that it has left. Null where none does. */
create or replace function private.kept_until(document public.documents) returns timestamptz
  language sql stable security definer set search_path = ''
as $$
  select max(document.created_at + make_interval(years => r.keep_years))
  from public.retention_rules r
  where r.is_on and r.keep_years is not null and (
    r.id = (select place.id from private.retention_rule_of(document.library_id, document.collection_id) place)
    or r.id in (select k.rule_id from private.kept_documents k where k.document_id = document.id))
$$;

create or replace function public.gone_at(document public.documents) returns timestamptz
  language sql stable security definer set search_path = ''
as $$
  select greatest(document.deleted_at + make_interval(days => coalesce(r.trash_days, 30)), private.kept_until(document))
  from private.retention_rule_of(document.library_id, document.collection_id) r
  where document.deleted_at is not null and not exists (select from public.legal_holds h where h.document_id = document.id)
$$;

/* Whoever moves it, and wherever to: at the same moment somebody else may move the collection that it comes into. */
create function private.remember_rule_of_document() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.kept_documents (document_id, rule_id)
    select new.id, r.id from private.retention_rule_of(old.library_id, old.collection_id) r where r.keep_years is not null
    on conflict do nothing;
  return null;
end
$$;
create trigger remember_rule after update of collection_id on public.documents
  for each row when (old.collection_id is distinct from new.collection_id) execute function private.remember_rule_of_document();

create function private.remember_rules_in_collection() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- A library takes its collections with it, and is itself not deleted while it keeps something.
  if exists (select from public.libraries l where l.id = old.library_id) then
    insert into private.kept_documents (document_id, rule_id)
      with recursive inside (id) as (
        select old.id union all select c.id from public.collections c join inside i on c.parent_id = i.id
      )
      select d.id, r.id from inside i
      cross join lateral private.retention_rule_of(old.library_id, i.id) r
      join public.documents d on d.collection_id = i.id
      where r.keep_years is not null
      on conflict do nothing;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;
create trigger remember_rules_of_moved before update of parent_id on public.collections
  for each row when (old.parent_id is distinct from new.parent_id) execute function private.remember_rules_in_collection();
create trigger remember_rules_of_deleted before delete on public.collections
  for each row execute function private.remember_rules_in_collection();

/* As before; and for how long the rule keeps, where that has changed. */
create or replace function private.record_retention_rule() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  rule public.retention_rules := coalesce(new, old);
  verb text := case when rule.is_on and tg_op <> 'DELETE' then 'retention.set' when tg_op = 'DELETE' or old.is_on then 'retention.ended' end;
begin
  if verb is not null then
    perform private.record(rule.library_id, verb, null, jsonb_strip_nulls(jsonb_build_object(
      'collection', (select c.name from public.collections c where c.id = rule.collection_id),
      'keep_years', case verb when 'retention.set' then rule.keep_years end,
      'from', case when old.is_on and (verb = 'retention.ended' or old.keep_years is distinct from rule.keep_years) then old.keep_years end)));
  end if;
  return null;
end
$$;

-- What somebody has said about a document under a legal hold stays as it is, as the document does
create function private.guard_held_comment() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  reason text;
begin
  select private.why_kept(d) into reason from public.documents d
    where d.id = old.document_id and exists (select from public.legal_holds h where h.document_id = d.id);
  if reason is not null then
    raise exception '%', reason using errcode = '23514', hint = 'Owners find holds and rules in the settings of the library.';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;
create trigger guard_held_deletion before delete on public.comments for each row execute function private.guard_held_comment();
create trigger guard_held_change before update of body, color on public.comments
  for each row when ((old.body, old.color) is distinct from (new.body, new.color)) execute function private.guard_held_comment();
