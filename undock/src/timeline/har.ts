import type { RequestTree } from './records.ts'

const UNKNOWN = -1

/** The requests as an HTTP Archive 1.2, which browsers' developer tools open. Response bodies and headers aren't recorded,
 *  so they are missing.
 *  @param url The address of the API. */
export function harOf(requests: readonly RequestTree[], url: string): object {
  return {
    log: {
      version: '1.2',
      creator: { name: 'undock', version: '1' },
      entries: requests
        .flatMap(flat)
        .filter(isHttp)
        .map(({ time, duration, method, path, headers, status, id }) => ({
          startedDateTime: time,
          time: duration,
          request: {
            method,
            url: `${url}${path}`,
            httpVersion: 'HTTP/1.1',
            cookies: [],
            headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
            queryString: queryOf(path),
            headersSize: UNKNOWN,
            bodySize: UNKNOWN,
          },
          response: {
            status,
            statusText: '',
            httpVersion: 'HTTP/1.1',
            cookies: [],
            headers: [{ name: 'sb-request-id', value: id }],
            content: { size: UNKNOWN, mimeType: '' },
            redirectURL: '',
            headersSize: UNKNOWN,
            bodySize: UNKNOWN,
          },
          cache: {},
          timings: { send: 0, wait: duration, receive: 0 },
        })),
    },
  }
}

/** Joins of channels and deliveries of changes are no requests of HTTP. */
const isHttp = ({ method }: RequestTree): boolean => method !== 'JOIN' && method !== 'DELIVER'

const flat = (tree: RequestTree): RequestTree[] => [tree, ...tree.children.flatMap(flat)]

const queryOf = (path: string): { name: string; value: string }[] =>
  [...new URLSearchParams(path.split('?')[1] ?? '')].map(([name, value]) => ({ name, value }))
