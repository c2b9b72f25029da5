import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'

/** The Data API's own errors, as in PostgREST (Error.hs). Postgres' keep their SQLSTATE (response/database-error.ts). */
const CATALOGUE = {
  PGRST000: [503, () => 'Database connection error.'],
  PGRST002: [503, () => 'Could not query the database for the schema cache. Retrying.'],
  PGRST003: [504, () => 'Timed out acquiring connection from connection pool.'],
  PGRST100: [400, (message: string) => message],
  PGRST101: [405, (method: string) => `Cannot use the ${method} method on RPC`],
  PGRST102: [400, (message: string) => message],
  PGRST103: [416, () => 'Requested range not satisfiable'],
  PGRST105: [405, () => "Filters must include all and only primary key columns with 'eq' operators"],
  PGRST106: [406, (schema: string) => `Invalid schema: ${schema}`],
  PGRST107: [406, (types: string) => `None of these media types are available: ${types}`],
  PGRST108: [400, (resource: string) => `'${resource}' is not an embedded resource in this request`],
  PGRST111: [
    500,
    () => 'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  ],
  PGRST112: [500, () => 'response.status guc must be a valid status code'],
  PGRST114: [400, () => 'limit/offset querystring parameters are not allowed for PUT'],
  PGRST115: [400, () => 'Payload values do not match URL in primary key column(s)'],
  PGRST116: [406, () => 'Cannot coerce the result to a single JSON object'],
  PGRST117: [405, (method: string) => `Unsupported HTTP method: ${method}`],
  PGRST118: [400, (target: string) => `A related order on '${target}' is not possible`],
  PGRST120: [400, (target: string) => `Bad operator on the '${target}' embedded resource`],
  PGRST121: [500, () => `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`],
  PGRST122: [400, () => 'Invalid preferences given with handling=strict'],
  PGRST123: [400, () => 'Use of aggregate functions is not allowed'],
  PGRST124: [400, () => 'Query result exceeds max-affected preference constraint'],
  PGRST125: [404, () => 'Invalid path specified in request URL'],
  PGRST126: [404, () => 'Root endpoint metadata is disabled'],
  PGRST127: [400, () => 'Feature not implemented'],
  PGRST128: [
    400,
    () => 'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
  ],
  PGRST200: [
    400,
    (parent: string, child: string) =>
      `Could not find a relationship between '${parent}' and '${child}' in the schema cache`,
  ],
  PGRST201: [
    300,
    (parent: string, child: string) =>
      `Could not embed because more than one relationship was found for '${parent}' and '${child}'`,
  ],
  PGRST202: [404, (wanted: string) => `Could not find the function ${wanted} in the schema cache`],
  PGRST203: [300, (candidates: string) => `Could not choose the best candidate function between: ${candidates}`],
  PGRST204: [
    400,
    (table: string, column: string) => `Could not find the '${column}' column of '${table}' in the schema cache`,
  ],
  PGRST205: [404, (table: string) => `Could not find the table '${table}' in the schema cache`],
  PGRST300: [500, () => 'Server lacks JWT secret'],
  PGRST301: [401, (message: string) => message],
  PGRST302: [401, () => 'Anonymous access is disabled'],
  PGRST303: [401, (message: string) => message],
  // Upstream has no body limit, but this status for errors of class 54 (program limit exceeded).
  '54000': [413, (limit: string) => `The request body is longer than ${limit} bytes`],
  PGRSTX00: [500, () => 'Unexpected error'],
} as const satisfies Record<string, readonly [status: number, message: (...names: string[]) => string]>

export type RestErrorCode = keyof typeof CATALOGUE

/** @param names The names quoted in the message, in order. */
export function restError<Code extends RestErrorCode>(
  code: Code,
  names: Parameters<(typeof CATALOGUE)[Code][1]>,
  options: ServiceErrorOptions = {},
): ServiceError {
  const [status, message] = CATALOGUE[code]
  return new ServiceError(code, status, (message as (...texts: readonly string[]) => string)(...names), options)
}
