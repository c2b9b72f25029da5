/** The function's own limit on the documents that one question is put to. A module of its own, because the route needs it at the
 *  start, long before anybody asks. */
export const MOST_ASKED = 100
