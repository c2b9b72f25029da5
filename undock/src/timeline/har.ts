import type { RequestTree } from './records.ts'

const UNKNOWN = -1

/** Returns the requests as an HTTP Archive 1.2 for browsers' developer tools, without response bodies and headers, which aren't recorded.
 *  @param url The API's URL. */
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

/** Channel joins and change deliveries aren't HTTP requests. */
const isHttp = ({ method }: RequestTree): boolean => method !== 'JOIN' && method !== 'DELIVER'

const flat = (tree: RequestTree): RequestTree[] => [tree, ...tree.children.flatMap(flat)]

const queryOf = (path: string): { name: string; value: string }[] =>
  [...new URLSearchParams(path.split('?')[1] ?? '')].map(([name, value]) => ({ name, value }))
