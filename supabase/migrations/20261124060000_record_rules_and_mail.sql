-- The audit log has who changed what adds documents by itself: rules, and the addresses for mails (docs/audit.md)
create function private.record_rule() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  rule constant public.rules := case when tg_op = 'DELETE' then old else new end;
begin
  perform private.record_audit(rule.library_id, 'rule.' || case tg_op when 'INSERT' then 'added' when 'UPDATE' then 'changed' else 'deleted' end, null,
    jsonb_build_object('id', rule.id, 'name', rule.name, 'is_on', rule.is_on)
      || case when tg_op = 'UPDATE' and new.name <> old.name then jsonb_build_object('from', old.name) else '{}' end);
  return null;
end
$$;
create trigger record_new_rule after insert or delete on public.rules for each row execute function private.record_rule();
-- Not what the database notes by itself, and not their order.
create trigger record_changed_rule after update on public.rules for each row
  when ((old.name, old.is_on, old.on_added, old.on_moved, old.collection_id, old.includes_inside, old.conditions, old.actions)
    is distinct from (new.name, new.is_on, new.on_added, new.on_moved, new.collection_id, new.includes_inside, new.conditions, new.actions))
  execute function private.record_rule();

create function private.record_mail_address() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  address constant public.mail_addresses := case when tg_op = 'DELETE' then old else new end;
  deed constant text := case
    when tg_op = 'INSERT' then 'added'
    when tg_op = 'DELETE' then 'deleted'
    when new.secret <> old.secret then 'replaced'
    else 'changed' end;
begin
  -- The secret is what makes an address: it is never in the log.
  perform private.record_audit(address.library_id, 'mail.address_' || deed, null, jsonb_build_object(
    'id', address.id, 'name', address.name, 'senders', address.senders, 'enabled', address.enabled,
    'collection', (select c.name from public.collections c where c.id = address.collection_id)));
  return null;
end
$$;
create trigger record_new_mail_address after insert or delete on public.mail_addresses
  for each row execute function private.record_mail_address();
create trigger record_changed_mail_address after update on public.mail_addresses for each row
  when ((old.secret, old.senders, old.enabled, old.collection_id) is distinct from (new.secret, new.senders, new.enabled, new.collection_id))
  execute function private.record_mail_address();

/* A rule that moves a document writes an entry of its own, and none of the move: webhooks are told of the move all the same. */
create or replace function private.queue_activity() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  type constant text := case
    when new.verb = 'document.ran_rule' and new.subject @? '$.deeds[*] ? (@.do == "move")' then 'document.moved'
    else new.verb end;
  webhooks constant uuid[] := private.webhooks_for(new.library_id, type);
begin
  if webhooks is not null then
    perform private.queue_webhooks(webhooks, type, new.created_at,
      private.webhook_data(new.library_id, new.actor_id, new.document_id, new.subject));
  end if;
  return null;
end
$$;
