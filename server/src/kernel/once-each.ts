/** Makes a function that reads each name once, for all calls with this name. */
export function onceEach<Found>() {
  const found = new Map<string, Promise<Found>>();
  return (name: string, read: () => Promise<Found>): Promise<Found> => {
    const result = found.get(name) ?? read();
    found.set(name, result);
    return result;
  };
}
