/** Owns reading: every query carries the identity the process was started with. Absent and foreign records take the same path out. */
import type { Kysely } from "kysely";
import type { z } from "zod";
import {
  InvoiceWire,
  OrderListWire,
  type OrderWire,
  ProductWire,
  ShipmentWire,
  TicketWire,
} from "../domain/commerce-wire.js";
import type { Identity } from "../domain/identity.js";
import type { OrderId, Sku } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import { type Order, orderToWire } from "../domain/order.js";
import type { CommerceTables } from "./commerce-tables.js";
import { fromOrderRow } from "./order-rows.js";
import { Refusal } from "./refusal.js";

export type OwnedRecords = {
  listOrders: () => Promise<z.infer<typeof OrderListWire>>;
  getOrder: (orderId: OrderId) => Promise<OrderWire>;
  getShipment: (orderId: OrderId) => Promise<ShipmentWire>;
  getInvoice: (orderId: OrderId) => Promise<InvoiceWire>;
  getProduct: (sku: Sku) => Promise<ProductWire>;
  getTicket: (ticketId: string) => Promise<TicketWire>;
};

type Store = Kysely<CommerceTables>;

/** The order, if it is this identity's. `db` may be a transaction. Throws `order_not_accessible` for absent and foreign orders alike. */
export async function readOwnedOrder(db: Store, identity: Identity, orderId: OrderId): Promise<Order> {
  return fromOrderRow(
    accessible(await ownedOrders(db, identity).selectAll().where("order_id", "=", orderId).executeTakeFirst()),
  );
}

/** The six reads for one identity. Each throws `Refusal`; an order without shipment or invoice is a valid empty answer. */
export function createOwnedRecords({ db, identity }: { db: Store; identity: Identity }): OwnedRecords {
  return {
    listOrders: async () => {
      const query = ownedOrders(db, identity).select(["order_id", "sku", "status"]);
      return OrderListWire.parse({ orders: await query.orderBy("order_id").limit(LIMITS.listedOrders).execute() });
    },
    getOrder: async (orderId) => orderToWire(await readOwnedOrder(db, identity, orderId)),
    getShipment: async (orderId) => {
      const query = ownedOrders(db, identity).select("shipment").where("order_id", "=", orderId);
      const { shipment } = accessible(await query.executeTakeFirst());
      const none = { carrier: null, tracking_id: null, events: [] };
      return ShipmentWire.parse({ order_id: orderId, ...(shipment === null ? none : JSON.parse(shipment)) });
    },
    getInvoice: async (orderId) => {
      const query = ownedOrders(db, identity).select("invoice").where("order_id", "=", orderId);
      const { invoice } = accessible(await query.executeTakeFirst());
      return InvoiceWire.parse({ order_id: orderId, invoice: invoice === null ? null : JSON.parse(invoice) });
    },
    getProduct: async (sku) => {
      const row = await db.selectFrom("products").selectAll().where("sku", "=", sku).executeTakeFirst();
      if (row === undefined) throw new Refusal("product_not_found");
      const { name_zh, name_en, ...product } = row;
      return ProductWire.parse({ ...product, name: { zh: name_zh, en: name_en } });
    },
    getTicket: async (ticketId) => {
      const query = db.selectFrom("tickets").select("body").where("ticket_id", "=", ticketId);
      const owned = query.where("tenant", "=", identity.tenant).where("user_id", "=", identity.user);
      const row = await owned.executeTakeFirst();
      if (row === undefined) throw new Refusal("ticket_not_accessible");
      return TicketWire.parse(JSON.parse(row.body));
    },
  };
}

/** Orders of one identity. A reviewer owns none, whatever the seeded records say. */
export function ownedOrders(db: Store, identity: Identity) {
  return db
    .selectFrom("orders")
    .where("tenant", "=", identity.tenant)
    .where("user_id", "=", identity.user)
    .where(({ lit }) => lit(identity.role === "customer"));
}

function accessible<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Refusal("order_not_accessible");
  return row;
}
