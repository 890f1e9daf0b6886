/** A promise with a bound on the wait for it. */

/**
 * Was the promise settled in time? Rejects when it rejects in time; a later rejection is nobody's business.
 */
export function isWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms);
    promise.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
