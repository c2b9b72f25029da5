-- Mail domains for company sign-in by SAML (docs/sign-in-by-company.md).

-- Anyone can get an address at these domains. They couldn't be verified by DNS anyway; this fails earlier.
create function private.is_public_mail_domain(domain text) returns boolean
  language sql immutable set search_path = ''
as $$
  select domain = any ('{gmail.com,googlemail.com,outlook.com,outlook.de,outlook.fr,hotmail.com,hotmail.de,hotmail.fr,hotmail.co.uk,live.com,live.de,
    msn.com,yahoo.com,yahoo.de,yahoo.fr,yahoo.co.uk,yahoo.co.jp,ymail.com,aol.com,icloud.com,me.com,mac.com,proton.me,protonmail.com,pm.me,
    gmx.de,gmx.net,gmx.at,gmx.ch,gmx.com,web.de,freenet.de,t-online.de,posteo.de,mailbox.org,mail.com,mail.ru,yandex.com,yandex.ru,bk.ru,
    inbox.ru,list.ru,zoho.com,zohomail.com,fastmail.com,fastmail.fm,hey.com,tutanota.com,tuta.io,tuta.com,orange.fr,free.fr,laposte.net,
    sfr.fr,wanadoo.fr,libero.it,virgilio.it,tiscali.it,bluewin.ch,qq.com,163.com,126.com,sina.com,naver.com,daum.net,rediffmail.com,
    comcast.net,verizon.net,att.net,btinternet.com,maktoob.com}'::text[])
$$;

/* Returns an address's domain in lower case. */
create function private.domain_of(address text) returns text
  language sql immutable strict set search_path = ''
as $$ select lower(substring(address from '@([^@]+)$')) $$;

create table public.sign_in_domains (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  domain text not null,
  -- The company's name; empty for the domain's.
  company text not null default '' check (char_length(company) <= 80),
  -- The expected TXT record of the domain. Not a secret: anyone can read the record.
  token text not null default encode(extensions.gen_random_bytes(16), 'hex'),
  verified_at timestamptz,
  -- The auth service's connection, if any, and its settings: `metadata_url` is null for an uploaded file.
  provider_id uuid,
  entity_id text,
  metadata_url text,
  -- For people of the company who aren't members yet. Null: only members can sign in.
  new_member_role public.member_role check (new_member_role in ('reader', 'editor')),
  -- Whether members with an address of the domain must use this connection.
  is_required boolean not null default false,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (library_id, domain),
  check (provider_id is null or verified_at is not null),
  check (not is_required or provider_id is not null)
);
alter table public.members add foreign key (required_domain_id) references public.sign_in_domains on delete set null;

-- Anyone can claim a domain, but only one library can verify it.
create unique index sign_in_domains_verified_idx on public.sign_in_domains (domain) where verified_at is not null;
create index sign_in_domains_provider_id_idx on public.sign_in_domains (provider_id);
create index sign_in_domains_created_by_idx on public.sign_in_domains (created_by);

grant select, delete, insert (library_id, domain), update (company, new_member_role, is_required)
  on public.sign_in_domains to authenticated;

create policy "owners see sign-in domains" on public.sign_in_domains for select to authenticated
  using (library_id in (select private.library_ids('owner')));
create policy "owners claim sign-in domains" on public.sign_in_domains for insert to authenticated
  with check (library_id in (select private.library_ids('owner')));
create policy "owners change sign-in domains" on public.sign_in_domains for update to authenticated
  using (library_id in (select private.library_ids('owner'))) with check (library_id in (select private.library_ids('owner')));
create policy "owners delete sign-in domains" on public.sign_in_domains for delete to authenticated
  using (library_id in (select private.library_ids('owner')));
create trigger touch_updated_at before update on public.sign_in_domains
  for each row execute function private.touch_updated_at();

create function private.guard_sign_in_domain() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    if new.is_required and new.provider_id is null then
      perform private.refuse('provider_missing');
    end if;
    return new;
  end if;
  new.domain := rtrim(lower(regexp_replace(trim(new.domain), '^.*@', '')), '.');
  if char_length(new.domain) > 253 or new.domain !~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$' then
    perform private.refuse('mail_domain_invalid');
  elsif private.is_public_mail_domain(new.domain) then
    perform private.refuse('mail_domain_public');
  end if;
  -- Serializes inserts, so that the limit holds.
  perform from public.libraries l where l.id = new.library_id for no key update;
  if (select count(*) from public.sign_in_domains d where d.library_id = new.library_id) >= 20 then
    perform private.refuse('too_many_mail_domains');
  end if;
  return new;
end
$$;
create trigger guard_sign_in_domain before insert or update on public.sign_in_domains
  for each row execute function private.guard_sign_in_domain();
grant execute on function private.is_public_mail_domain to authenticated;

/* Claims a mail domain for a library. For owners. Has no effect until it's verified. Applies the caller's rights. */
create function public.claim_sign_in_domain(library uuid, domain text) returns public.sign_in_domains
  language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  claimed public.sign_in_domains;
begin
  if library not in (select private.library_ids('owner')) then
    perform private.refuse('sign_in_domain_denied');
  elsif claim_sign_in_domain.domain is null then
    perform private.refuse('mail_domain_invalid');
  end if;
  insert into public.sign_in_domains (library_id, domain) values (library, claim_sign_in_domain.domain)
    on conflict (library_id, domain) do nothing returning * into claimed;
  if not found then
    perform private.refuse('mail_domain_taken');
  end if;
  return claimed;
end
$$;
grant execute on function public.claim_sign_in_domain to authenticated;

-- Called only by the project, for an owner whose rights the function `single-sign-on` has checked

/* Marks the domain as verified. Returns false if another library has already verified it.
   Why a definer: the service role can't write the log. */
create function public.verify_sign_in_domain(claim uuid, owner uuid) returns boolean
  language plpgsql security definer set search_path = ''
as $$
declare
  verified public.sign_in_domains;
begin
  update public.sign_in_domains d set verified_at = now() where d.id = claim and d.verified_at is null returning * into verified;
  if found then
    perform private.record_audit(verified.library_id, 'company.verified', null, jsonb_build_object('domain', verified.domain), owner);
  end if;
  return true;
exception when unique_violation then
  return false;
end
$$;
grant execute on function public.verify_sign_in_domain to service_role;

/* Records the domain's connection. Returns false if the domain isn't verified or is deleted.
   Why a definer: the service role can't write the log. */
create function public.connect_sign_in_domain(claim uuid, owner uuid, provider uuid, entity text, metadata_address text default null)
  returns boolean
  language plpgsql security definer set search_path = ''
as $$
declare
  connected public.sign_in_domains;
begin
  update public.sign_in_domains d set provider_id = provider, entity_id = entity, metadata_url = metadata_address
    where d.id = claim and d.verified_at is not null returning * into connected;
  if not found then return false; end if;
  -- Other domains of the connection share its metadata.
  update public.sign_in_domains d set entity_id = entity, metadata_url = metadata_address
    where d.provider_id = provider and d.id <> claim and (d.entity_id, d.metadata_url) is distinct from (entity, metadata_address);
  perform private.record_audit(connected.library_id, 'company.connected', null,
    jsonb_build_object('domain', connected.domain, 'entity', connected.entity_id), owner);
  return true;
end
$$;
grant execute on function public.connect_sign_in_domain to service_role;

/* Connections to sync with the auth service, which deletes those without domains. Deleting a library doesn't call the auth service. */
create table private.pending_provider_changes (
  provider_id uuid primary key,
  since timestamptz not null default clock_timestamp()
);

create function private.queue_provider_changes(providers uuid[]) returns void
  language sql set search_path = ''
as $$
  insert into private.pending_provider_changes (provider_id) select p from unnest(providers) p where p is not null
    on conflict (provider_id) do update set since = excluded.since
$$;

create function public.pending_provider_changes() returns table (provider_id uuid, since timestamptz, domains text[])
  language sql stable set search_path = ''
as $$
  select u.provider_id, u.since, array(select d.domain from public.sign_in_domains d where d.provider_id = u.provider_id order by d.domain)
  from private.pending_provider_changes u order by u.since limit 100
$$;
grant execute on function public.pending_provider_changes to service_role;

/* Removes the record, unless the domains have changed again since. */
create function public.complete_provider_change(provider uuid, since timestamptz) returns void
  language sql set search_path = ''
as $$ delete from private.pending_provider_changes u where u.provider_id = provider and u.since <= complete_provider_change.since $$;
grant execute on function public.complete_provider_change to service_role;

/* Returns the libraries' connection with an identity provider: verified domains, metadata address and use. No row if there is none.
   Why a definer: the service role can't read the auth service's connections. */
create function public.sign_in_connection_of(entity text)
  returns table (provider_id uuid, library_id uuid, domains text[], metadata_url text, is_used boolean, connected_at timestamptz)
  language sql stable security definer set search_path = ''
as $$
  select d.provider_id, d.library_id, array_agg(d.domain order by d.domain), min(d.metadata_url),
    exists (select from auth.identities i where i.provider = 'sso:' || d.provider_id),
    (select p.created_at from auth.sso_providers p where p.id = d.provider_id)
  from public.sign_in_domains d
  where d.entity_id = entity and d.provider_id is not null
  group by d.provider_id, d.library_id
$$;
grant execute on function public.sign_in_connection_of to service_role;

/* Detaches a connection from its domains; `settleConnections` then deletes it in the auth service.
   Why a definer: the service role can't write the log. */
create function public.release_sign_in_connection(provider uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  released public.sign_in_domains;
begin
  for released in select d.* from public.sign_in_domains d where d.provider_id = provider order by d.id for update loop
    update public.sign_in_domains d set provider_id = null, entity_id = null, metadata_url = null, is_required = false
      where d.id = released.id;
    perform private.record_audit(released.library_id, 'company.disconnected', null,
      jsonb_build_object('domain', released.domain, 'entity', released.entity_id));
  end loop;
end
$$;
grant execute on function public.release_sign_in_connection to service_role;

/* Runs after a domain is claimed, changed or removed.
   Why a definer: users can't write the log or required domains, or see unsettled connections. */
create function private.after_sign_in_domain_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  changed jsonb;
begin
  if tg_op = 'INSERT' then
    perform private.record_audit(new.library_id, 'company.claimed', null, jsonb_build_object('domain', new.domain));
    return null;
  elsif tg_op = 'DELETE' then
    perform private.record_audit(old.library_id, 'company.removed', null,
      jsonb_build_object('domain', old.domain, 'entity', old.entity_id));
    perform private.queue_provider_changes(array[old.provider_id]);
    return null;
  end if;
  select jsonb_object_agg(n.key, jsonb_build_object('from', o.value, 'to', n.value)) into changed
    from jsonb_each(to_jsonb(new)) n join jsonb_each(to_jsonb(old)) o on o.key = n.key
    where n.value <> o.value and n.key in ('company', 'new_member_role', 'is_required');
  if changed is not null then
    perform private.record_audit(new.library_id, 'company.changed', null, jsonb_build_object('domain', new.domain, 'changed', changed));
  end if;
  if new.is_required <> old.is_required then perform private.require_of_members(new); end if;
  if new.provider_id is distinct from old.provider_id then
    perform private.queue_provider_changes(array[old.provider_id, new.provider_id]);
  end if;
  return null;
end
$$;
create trigger after_change after insert or update or delete on public.sign_in_domains
  for each row execute function private.after_sign_in_domain_change();
