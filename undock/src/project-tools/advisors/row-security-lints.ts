import {
  ENABLE_RLS,
  EXPOSED,
  KEY,
  type Lint,
  metadata,
  notOfExtension,
  OF_PROJECT,
  POLICIES,
  READABLE,
  RELATIONS,
} from './lint.ts'

/** Expressions that are true for every row, in lower case and without spaces. */
const ALWAYS = `('true', '(true)', '1=1', '(1=1)')`
const plain = (expression: string): string => `regexp_replace(lower(coalesce(${expression}, '')), '\\s', '', 'g')`

/** Problems of row security and policies. */
export const ROW_SECURITY_LINTS: readonly Lint[] = [
  {
    name: 'policy_exists_rls_disabled',
    title: 'Policies without row security',
    level: 'ERROR',
    category: 'SECURITY',
    description: 'Policies have no effect on a table whose row security is off.',
    page: '0007_policy_exists_rls_disabled',
    query: `select format('The table %s.%s has policies (%s), and its row security is off.', n.nspname, c.relname,
        string_agg(p.polname, ', ' order by p.polname)) as detail,
      ${metadata('table')} as metadata, ${KEY} as key, ${ENABLE_RLS} as fix
      from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and not c.relrowsecurity and ${OF_PROJECT} and ${notOfExtension('c.oid')}
      group by n.nspname, c.relname`,
  },
  {
    name: 'rls_enabled_no_policy',
    title: 'Row security without policies',
    level: 'INFO',
    category: 'SECURITY',
    description: 'A table with row security and no policy can be read only with the secret key.',
    page: '0008_rls_enabled_no_policy',
    query: `select format('The table %s.%s has row security and no policy.', n.nspname, c.relname) as detail,
      ${metadata('table')} as metadata, ${KEY} as key, null as fix
      from ${RELATIONS}
      where c.relkind = 'r' and c.relrowsecurity and ${OF_PROJECT} and ${notOfExtension('c.oid')}
        and not exists (select from pg_policy p where p.polrelid = c.oid)`,
  },
  {
    name: 'rls_disabled_in_public',
    title: 'Exposed table without row security',
    level: 'ERROR',
    category: 'SECURITY',
    description: 'Anyone with the publishable key can read tables of exposed schemas that have no row security.',
    page: '0013_rls_disabled_in_public',
    query: `select format('The table %s.%s is exposed, and its row security is off.', n.nspname, c.relname) as detail,
      ${metadata('table')} as metadata, ${KEY} as key, ${ENABLE_RLS} as fix
      from ${RELATIONS}
      where c.relkind = 'r' and not c.relrowsecurity and ${READABLE} and ${EXPOSED}`,
  },
  {
    name: 'rls_references_user_metadata',
    title: 'Policy trusts user_metadata',
    level: 'ERROR',
    category: 'SECURITY',
    description:
      'Users can change their own user_metadata, so a policy that reads it lets them choose their permissions.',
    page: '0015_rls_references_user_metadata',
    query: `select format('The policy %s of the table %s.%s reads user_metadata, which users can change.',
        p.polname, n.nspname, c.relname) as detail,
      ${metadata('table')} as metadata, ${KEY} || '_' || p.polname as key, null as fix
      from ${POLICIES}
      where ${OF_PROJECT} and exists (select from unnest(array[l.qual, l.with_check]) e
        where e like '%auth.jwt()%user_metadata%' or e like '%current_setting(%request.jwt.claims%)%user_metadata%')`,
  },
  {
    name: 'sensitive_columns_exposed',
    title: 'Sensitive columns exposed',
    level: 'ERROR',
    category: 'SECURITY',
    description: 'Tables without row security that the Data API exposes have columns whose names suggest secrets.',
    page: '0023_sensitive_columns_exposed',
    query: `select format('The table %s.%s is exposed without row security and has columns that may hold secrets: %s.',
        n.nspname, c.relname, string_agg(a.attname, ', ' order by a.attname)) as detail,
      ${metadata(
        'table',
        `'sensitive_columns', jsonb_agg(a.attname order by a.attname),
        'matched_patterns', jsonb_agg(replace(lower(a.attname), '-', '_') order by a.attname)`,
      )} as metadata, ${KEY} as key, ${ENABLE_RLS} as fix
      from ${RELATIONS} join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind = 'r' and not c.relrowsecurity and ${READABLE} and ${EXPOSED}
        and replace(lower(a.attname), '-', '_') = any (string_to_array($names$${sensitiveNames()}$names$, ' '))
      group by n.nspname, c.relname`,
  },
  {
    name: 'rls_policy_always_true',
    title: 'Policy lets anyone write',
    level: 'WARN',
    category: 'SECURITY',
    description:
      'A policy for writing whose expression is always true makes row security useless. Policies for reading are not reported.',
    page: '0024_permissive_rls_policy',
    query: `select format('The policy %s of the table %s.%s lets %s write without a limit (%s): %s always true.',
        p.polname, n.nspname, c.relname, array_to_string(l.roles, ', '), l.cmd,
        concat_ws(' and ', case when all_rows then 'USING' end, case when all_values then 'WITH CHECK' end)
          || case when all_rows and all_values then ' are' else ' is' end) as detail,
      ${metadata(
        'table',
        `'policy_name', p.polname, 'command', l.cmd, 'roles', l.roles, 'qual', l.qual, 'with_check', l.with_check,
        'permissive_using', all_rows, 'permissive_with_check', all_values`,
      )} as metadata, ${KEY} || '_' || p.polname as key, null as fix
      from ${POLICIES},
        lateral (select l.cmd in ('UPDATE', 'DELETE', 'ALL') and (l.qual is null or ${plain('l.qual')} in ${ALWAYS}) as all_rows) r,
        lateral (select ${plain('l.with_check')} in ${ALWAYS} or (l.with_check is null
          and (l.cmd = 'INSERT' or (l.cmd in ('UPDATE', 'ALL') and ${plain('l.qual')} in ${ALWAYS}))) as all_values) w
      where c.relkind = 'r' and c.relrowsecurity and p.polpermissive and ${OF_PROJECT}
        and l.roles && array['public', 'anon', 'authenticated']::name[] and (all_rows or all_values)`,
  },
]

/** Column names that splinter considers sensitive. */
function sensitiveNames(): string {
  return [
    'password passwd pwd passphrase secret secret_key private_key api_key apikey auth_key token jwt access_token',
    'refresh_token oauth_token session_token bearer_token auth_code session_id session_key session_secret recovery_code',
    'backup_code verification_code otp two_factor 2fa_secret 2fa_code ssn social_security social_security_number',
    'driver_license drivers_license license_number passport_number passport_id national_id tax_id credit_card card_number',
    'cvv cvc cvn bank_account account_number routing_number iban swift_code bic health_record medical_record patient_id',
    'insurance_number health_insurance medical_insurance treatment mac_address macaddr imei device_uuid pgp_key gpg_key',
    'ssh_key certificate license_key activation_key facial_recognition',
  ].join(' ')
}
