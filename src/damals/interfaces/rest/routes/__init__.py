"""The routes, a module an area. A new capability adds its route to one of them, or a module here.

A module is known when it is named in :data:`damals.interfaces.rest.areas.AREAS`.
"""
