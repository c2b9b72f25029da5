-- pg_jsonschema's functions with a validator in PL/pgSQL: all assertions and applicators of JSON Schema 2020-12 and
-- their draft 7 predecessors, and `$ref` within the schema, but not the optional `format`.
-- Facts: supabase/pg_jsonschema, and https://json-schema.org/draft/2020-12.

create function _jsonschema_errors(root jsonb, schema jsonb, instance jsonb, path text, depth integer default 0)
returns text[] language plpgsql immutable set search_path = @extschema@, pg_catalog as $$
declare
  kind text := jsonb_typeof(instance);
  found text[] := '{}';
  wanted jsonb;
  key text;
  value jsonb;
  place integer;
  matched integer;
  known text[];
  size integer;
  number numeric;
begin
  if depth > 64 then raise exception 'The JSON schema refers to itself without an end'; end if;
  if jsonb_typeof(schema) = 'boolean' then
    return case when schema = 'true' then found else array[path || ': no value is allowed here'] end;
  end if;

  if schema ? '$ref' then
    wanted := root #> array(
      select replace(replace(part, '~1', '/'), '~0', '~')
      from unnest(string_to_array(substr(schema ->> '$ref', 3), '/')) as part
      where part <> ''
    );
    if schema ->> '$ref' !~ '^#(/|$)' or wanted is null then
      raise exception 'The JSON schema''s reference % leads nowhere', schema ->> '$ref';
    end if;
    found := found || _jsonschema_errors(root, wanted, instance, path, depth + 1);
  end if;

  wanted := schema -> 'type';
  if wanted is not null and not exists (
    select from jsonb_array_elements_text(
      case jsonb_typeof(wanted) when 'array' then wanted else jsonb_build_array(wanted) end
    ) as allowed
    where allowed = kind
      or (allowed = 'integer' and kind = 'number' and (instance #>> '{}')::numeric % 1 = 0)
  ) then
    found := found || format('%s: %s is not of type %s', path, instance, wanted);
  end if;
  if schema ? 'enum' and not exists (
    select from jsonb_array_elements(schema -> 'enum') as one where one = instance
  ) then
    found := found || format('%s: %s is not one of %s', path, instance, schema -> 'enum');
  end if;
  if schema ? 'const' and schema -> 'const' <> instance then
    found := found || format('%s: %s was expected', path, schema -> 'const');
  end if;

  if kind = 'number' then
    number := (instance #>> '{}')::numeric;
    if number < (schema ->> 'minimum')::numeric then
      found := found || format('%s: %s is less than the minimum of %s', path, instance, schema ->> 'minimum');
    end if;
    if number > (schema ->> 'maximum')::numeric then
      found := found || format('%s: %s is greater than the maximum of %s', path, instance, schema ->> 'maximum');
    end if;
    if number <= (schema ->> 'exclusiveMinimum')::numeric then
      found := found || format('%s: %s is not greater than %s', path, instance, schema ->> 'exclusiveMinimum');
    end if;
    if number >= (schema ->> 'exclusiveMaximum')::numeric then
      found := found || format('%s: %s is not less than %s', path, instance, schema ->> 'exclusiveMaximum');
    end if;
    if number % (schema ->> 'multipleOf')::numeric <> 0 then
      found := found || format('%s: %s is not a multiple of %s', path, instance, schema ->> 'multipleOf');
    end if;
  elsif kind = 'string' then
    size := length(instance #>> '{}');
    if size < (schema ->> 'minLength')::integer then
      found := found || format('%s: %s is shorter than %s characters', path, instance, schema ->> 'minLength');
    end if;
    if size > (schema ->> 'maxLength')::integer then
      found := found || format('%s: %s is longer than %s characters', path, instance, schema ->> 'maxLength');
    end if;
    if (instance #>> '{}') !~ (schema ->> 'pattern') then
      found := found || format('%s: %s does not match %s', path, instance, schema -> 'pattern');
    end if;
  elsif kind = 'array' then
    size := jsonb_array_length(instance);
    if size < (schema ->> 'minItems')::integer then
      found := found || format('%s: has less than %s items', path, schema ->> 'minItems');
    end if;
    if size > (schema ->> 'maxItems')::integer then
      found := found || format('%s: has more than %s items', path, schema ->> 'maxItems');
    end if;
    if schema -> 'uniqueItems' = 'true'
      and size > (select count(distinct item) from jsonb_array_elements(instance) as item)
    then
      found := found || format('%s: has non-unique items', path);
    end if;
    -- Draft 7 allows a list in `items`, with the schema of further items in `additionalItems`.
    wanted := coalesce(
      schema -> 'prefixItems', case when jsonb_typeof(schema -> 'items') = 'array' then schema -> 'items' end, '[]'
    );
    for place in 0 .. size - 1 loop
      value := case
        when place < jsonb_array_length(wanted) then wanted -> place
        when jsonb_typeof(schema -> 'items') = 'array' then schema -> 'additionalItems'
        else schema -> 'items'
      end;
      if value is not null then
        found := found || _jsonschema_errors(root, value, instance -> place, path || '/' || place, depth + 1);
      end if;
    end loop;
    if schema ? 'contains' then
      select count(*) into matched from jsonb_array_elements(instance) as item
      where cardinality(_jsonschema_errors(root, schema -> 'contains', item, path, depth + 1)) = 0;
      if matched < coalesce((schema ->> 'minContains')::integer, 1)
        or matched > (schema ->> 'maxContains')::integer
      then
        found := found || format('%s: does not contain as many items of the kind as it must', path);
      end if;
    end if;
  elsif kind = 'object' then
    select coalesce(array_agg(name), '{}') into known from jsonb_object_keys(instance) as name;
    size := cardinality(known);
    if size < (schema ->> 'minProperties')::integer then
      found := found || format('%s: has less than %s properties', path, schema ->> 'minProperties');
    end if;
    if size > (schema ->> 'maxProperties')::integer then
      found := found || format('%s: has more than %s properties', path, schema ->> 'maxProperties');
    end if;
    for key in select jsonb_array_elements_text(coalesce(schema -> 'required', '[]')) loop
      if not instance ? key then found := found || format('%s: %s is a required property', path, to_jsonb(key)); end if;
    end loop;
    for key, value in select * from jsonb_each(coalesce(schema -> 'dependentRequired', '{}')) loop
      if instance ? key and not instance ?& array(select jsonb_array_elements_text(value)) then
        found := found || format('%s: %s needs other properties', path, to_jsonb(key));
      end if;
    end loop;
    for key, value in select * from jsonb_each(coalesce(schema -> 'dependentSchemas', '{}')) loop
      if instance ? key then
        found := found || _jsonschema_errors(root, value, instance, path, depth + 1);
      end if;
    end loop;
    for key in select unnest(known) loop
      matched := 0;
      if schema -> 'properties' ? key then
        matched := 1;
        found := found
          || _jsonschema_errors(root, schema -> 'properties' -> key, instance -> key, path || '/' || key, depth + 1);
      end if;
      for wanted, value in
        select to_jsonb(p.key), p.value from jsonb_each(coalesce(schema -> 'patternProperties', '{}')) as p
      loop
        if key ~ (wanted #>> '{}') then
          matched := 1;
          found := found || _jsonschema_errors(root, value, instance -> key, path || '/' || key, depth + 1);
        end if;
      end loop;
      if matched = 0 and schema ? 'additionalProperties' then
        if schema -> 'additionalProperties' = 'false' then
          found := found || format('%s: additional property %s is not allowed', path, to_jsonb(key));
        else
          found := found
            || _jsonschema_errors(root, schema -> 'additionalProperties', instance -> key, path || '/' || key, depth + 1);
        end if;
      end if;
      if schema ? 'propertyNames' then
        found := found || _jsonschema_errors(root, schema -> 'propertyNames', to_jsonb(key), path, depth + 1);
      end if;
    end loop;
  end if;

  for value in select jsonb_array_elements(coalesce(schema -> 'allOf', '[]')) loop
    found := found || _jsonschema_errors(root, value, instance, path, depth + 1);
  end loop;
  if schema ? 'anyOf' and not exists (
    select from jsonb_array_elements(schema -> 'anyOf') as one
    where cardinality(_jsonschema_errors(root, one, instance, path, depth + 1)) = 0
  ) then
    found := found || format('%s: %s is not valid under any of the given schemas', path, instance);
  end if;
  if schema ? 'oneOf' then
    select count(*) into matched from jsonb_array_elements(schema -> 'oneOf') as one
    where cardinality(_jsonschema_errors(root, one, instance, path, depth + 1)) = 0;
    if matched <> 1 then
      found := found || format('%s: %s is valid under %s of the given schemas, not one', path, instance, matched);
    end if;
  end if;
  if schema ? 'not' and cardinality(_jsonschema_errors(root, schema -> 'not', instance, path, depth + 1)) = 0 then
    found := found || format('%s: %s is what it must not be', path, instance);
  end if;
  if schema ? 'if' then
    value := case
      when cardinality(_jsonschema_errors(root, schema -> 'if', instance, path, depth + 1)) = 0 then schema -> 'then'
      else schema -> 'else'
    end;
    if value is not null then found := found || _jsonschema_errors(root, value, instance, path, depth + 1); end if;
  end if;
  return found;
end
$$;

create function jsonb_matches_schema(schema json, instance jsonb) returns boolean language sql immutable strict as $$
  select cardinality(@extschema@._jsonschema_errors(schema::jsonb, schema::jsonb, instance, '')) = 0
$$;
create function json_matches_schema(schema json, instance json) returns boolean language sql immutable strict as $$
  select cardinality(@extschema@._jsonschema_errors(schema::jsonb, schema::jsonb, instance::jsonb, '')) = 0
$$;
create function jsonschema_validation_errors(schema json, instance json) returns text[] language sql immutable strict as $$
  select @extschema@._jsonschema_errors(schema::jsonb, schema::jsonb, instance::jsonb, '')
$$;

create function jsonschema_is_valid(schema json) returns boolean
language plpgsql immutable strict set search_path = pg_catalog as $$
begin
  if json_typeof(schema) not in ('object', 'boolean') then
    raise notice 'A JSON schema is an object, true or false';
    return false;
  end if;
  if schema -> 'type' is not null and exists (
    select from jsonb_array_elements_text(
      case json_typeof(schema -> 'type')
        when 'array' then (schema -> 'type')::jsonb else jsonb_build_array((schema -> 'type')::jsonb)
      end
    ) as named
    where named <> all ('{array,boolean,integer,null,number,object,string}')
  ) then
    raise notice 'Invalid JSON schema: unknown type %', schema -> 'type';
    return false;
  end if;
  return true;
end
$$;
