-- The mail domains whose people sign in to a library with their company, by SAML (docs/sign-in-by-company.md)

-- Anybody gets an address there, so none of them is a company's. A domain is proven by its DNS all the same; this says it earlier.
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

/* The part of an address after the @, in small letters. */
create function private.domain_of(address text) returns text
  language sql immutable strict set search_path = ''
as $$ select lower(substring(address from '@([^@]+)$')) $$;

create table public.sign_in_domains (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  domain text not null,
  -- As people know it; empty stands for the domain.
  company text not null default '' check (char_length(company) <= 80),
  -- What a TXT record of the domain has to say. It is no secret: everybody can read the record.
  token text not null default encode(extensions.gen_random_bytes(16), 'hex'),
  verified_at timestamptz,
  -- The connection of the auth service, where there is one, and what it was set up with: `metadata_url` is null for an uploaded file.
  provider_id uuid,
  entity_id text,
  metadata_url text,
  -- Of people of the company who are not members yet. Null: only members come in.
  new_member_role public.member_role check (new_member_role in ('reader', 'editor')),
  -- Whether members with an address of the domain see the library only in a session of this connection.
  is_required boolean not null default false,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (library_id, domain),
  check (provider_id is null or verified_at is not null),
  check (not is_required or provider_id is not null)
);
-- Everybody can claim a domain, one library can prove it.
create unique index sign_in_domains_verified_idx on public.sign_in_domains (domain) where verified_at is not null;
create index sign_in_domains_provider_id_idx on public.sign_in_domains (provider_id);
create index sign_in_domains_created_by_idx on public.sign_in_domains (created_by);

alter table public.sign_in_domains enable row level security;
grant select, delete, update (company, new_member_role, is_required) on public.sign_in_domains to authenticated;
grant all on public.sign_in_domains to service_role;
create policy "owners see sign-in domains" on public.sign_in_domains for select to authenticated
  using (library_id in (select private.library_ids('owner')));
create policy "owners change sign-in domains" on public.sign_in_domains for update to authenticated
  using (library_id in (select private.library_ids('owner'))) with check (library_id in (select private.library_ids('owner')));
create policy "owners delete sign-in domains" on public.sign_in_domains for delete to authenticated
  using (library_id in (select private.library_ids('owner')));

create trigger touch_updated_at before update on public.sign_in_domains
  for each row execute function private.touch_updated_at();

create function private.guard_sign_in_domain() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if new.is_required and new.provider_id is null then
    raise exception 'Set up the identity provider first.' using errcode = '23514',
      hint = 'Members could not sign in with the company before.';
  end if;
  return new;
end
$$;
create trigger guard_sign_in_domain before update on public.sign_in_domains
  for each row execute function private.guard_sign_in_domain();

/* Claims a mail domain for a library of which the caller is an owner. It has no effect before it is verified. */
create function public.claim_sign_in_domain(library uuid, domain text) returns public.sign_in_domains
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted constant text := rtrim(lower(regexp_replace(trim(claim_sign_in_domain.domain), '^.*@', '')), '.');
  claimed public.sign_in_domains;
begin
  -- The lock makes two who claim the last one wait for each other.
  perform from public.libraries l where l.id = library and l.id in (select private.library_ids('owner')) for no key update;
  if not found then
    raise exception 'Only an owner of the library can set up the sign-in by a company.' using errcode = '42501';
  end if;
  if wanted is null or char_length(wanted) > 253 or wanted !~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$' then
    raise exception 'This is no mail domain.' using errcode = '22023',
      hint = 'It is what stands after the @ in the company''s mail addresses, for example example.org.';
  end if;
  if private.is_public_mail_domain(wanted) then
    raise exception 'This domain belongs to a mail provider for everybody.' using errcode = '22023',
      hint = 'Use the domain of your company''s own mail addresses.';
  end if;
  if (select count(*) from public.sign_in_domains d where d.library_id = library) >= 20 then
    raise exception 'A library has 20 domains at most.' using errcode = '23514', hint = 'Remove one that is not needed any more.';
  end if;
  insert into public.sign_in_domains (library_id, domain) values (library, wanted)
    on conflict (library_id, domain) do nothing returning * into claimed;
  if not found then
    raise exception 'This library has this domain already.' using errcode = '23505', hint = 'It is in the list.';
  end if;
  return claimed;
end
$$;
grant execute on function public.claim_sign_in_domain to authenticated;

-- What only the project itself writes, for an owner whose rights the function `single-sign-on` has checked

/* Notes that the domain's DNS has the token. Returns false where another library has verified the domain before. */
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

/* Notes the connection with which people of the domain sign in. Returns false where the domain is not verified, or not there any more. */
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
  -- Other domains of the connection have the same metadata.
  update public.sign_in_domains d set entity_id = entity, metadata_url = metadata_address
    where d.provider_id = provider and d.id <> claim and (d.entity_id, d.metadata_url) is distinct from (entity, metadata_address);
  perform private.record_audit(connected.library_id, 'company.connected', null,
    jsonb_build_object('domain', connected.domain, 'entity', connected.entity_id), owner);
  return true;
end
$$;

/* The connections of the auth service that have to be brought into line with the domains: one that has none left is deleted there. A
   library is deleted without asking the auth service, so the database remembers what to do. */
create table private.unsettled_sign_in_providers (
  provider_id uuid primary key,
  since timestamptz not null default clock_timestamp()
);
alter table private.unsettled_sign_in_providers enable row level security;

create function private.unsettle_sign_in_provider() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.unsettled_sign_in_providers (provider_id)
    select p from unnest(array[old.provider_id, case when tg_op = 'UPDATE' then new.provider_id end]) p where p is not null
    on conflict (provider_id) do update set since = excluded.since;
  return null;
end
$$;
create trigger unsettle_deleted_provider after delete on public.sign_in_domains
  for each row when (old.provider_id is not null) execute function private.unsettle_sign_in_provider();
create trigger unsettle_changed_provider after update of provider_id on public.sign_in_domains
  for each row when (old.provider_id is distinct from new.provider_id) execute function private.unsettle_sign_in_provider();

create function public.unsettled_sign_in_providers() returns table (provider_id uuid, since timestamptz, domains text[])
  language sql stable security definer set search_path = ''
as $$
  select u.provider_id, u.since, array(select d.domain from public.sign_in_domains d where d.provider_id = u.provider_id order by d.domain)
  from private.unsettled_sign_in_providers u order by u.since limit 100
$$;
/* Forgets what was done, unless the domains have changed again since it was read. */
create function public.settle_sign_in_provider(provider uuid, since timestamptz) returns void
  language sql security definer set search_path = ''
as $$ delete from private.unsettled_sign_in_providers u where u.provider_id = provider and u.since <= settle_sign_in_provider.since $$;

grant execute on function public.verify_sign_in_domain, public.connect_sign_in_domain, public.unsettled_sign_in_providers,
  public.settle_sign_in_provider to service_role;

-- The rest of the audit log (docs/audit.md)
create function private.record_sign_in_domain() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  changed jsonb;
begin
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(n.key, jsonb_build_object('from', o.value, 'to', n.value)) into changed
      from jsonb_each(to_jsonb(new)) n join jsonb_each(to_jsonb(old)) o on o.key = n.key
      where n.value <> o.value and n.key in ('company', 'new_member_role', 'is_required');
    if changed is null then return null; end if;
    perform private.record_audit(new.library_id, 'company.changed', null, jsonb_build_object('domain', new.domain, 'changed', changed));
  elsif tg_op = 'INSERT' then
    perform private.record_audit(new.library_id, 'company.claimed', null, jsonb_build_object('domain', new.domain));
  else
    perform private.record_audit(old.library_id, 'company.removed', null,
      jsonb_build_object('domain', old.domain, 'entity', old.entity_id));
  end if;
  return null;
end
$$;
create trigger record_sign_in_domain after insert or update or delete on public.sign_in_domains
  for each row execute function private.record_sign_in_domain();
