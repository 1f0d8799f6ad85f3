/* Runs in the browser behind the console's pages, also while none is open. */
self.addEventListener('push', (event) => {
  const { title, url } = event.data.json();
  event.waitUntil(
    self.registration.showNotification(title, { data: url, tag: url, icon: '/favicon.ico' }),
  );
});

/** Leads to the record, in a window of the console that is open already if there is one. */
async function show(url) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = windows.find((each) => new URL(each.url).pathname.startsWith('/console'));
  if (!open) return self.clients.openWindow(url);
  await open.focus();
  return open.navigate(url).catch(() => self.clients.openWindow(url));
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});
